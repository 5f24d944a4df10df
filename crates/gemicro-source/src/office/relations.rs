//! Reads the relations between the files of an Office Open XML document: [`relations_of`].

use super::archive::BoundedArchive;
use super::error::OfficeError;
use super::xml::XmlItem;

/// A file that another one refers to.
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of its type, such as `slide`.
    pub(super) kind: String,
    /// Its path in the archive.
    pub(super) target: String,
}

/// The files that a file refers to; the empty path is the document itself.
pub(super) fn relations_of(archive: &mut BoundedArchive, path: &str) -> Result<Vec<Relation>, OfficeError> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut relations = Vec::new();
    archive.xml(&join(folder, &format!("_rels/{name}.rels")), |item| {
        if let XmlItem::Start(start) = item
            && start.name == "Relationship"
            && start
                .attribute("TargetMode")
                .is_none_or(|mode| mode != "External")
        {
            let value = |name: &str| start.attribute(name).unwrap_or_default();
            let kind = value("Type");
            relations.push(Relation {
                id: value("Id"),
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: join(folder, &value("Target")),
            });
        }
        Ok(())
    })?;
    Ok(relations)
}

/// Resolves a path relative to a folder of the archive.
pub(super) fn join(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
