//! Reads word processor files: Office Open XML and OpenDocument.

use std::collections::HashMap;

use super::archive::BoundedArchive;
use super::error::OfficeError;
use super::flow::{FlowParts, FlowReader, ParagraphKind};
use super::part::DocumentParts;
use super::relations::relations_of;
use super::xml::XmlItem;

/// Reads a `.docx`: its main text, then footnotes and endnotes.
pub(super) fn read_word(archive: &mut BoundedArchive, main: &str) -> Result<DocumentParts, OfficeError> {
    let mut found = DocumentParts {
        title: core_title(archive, "docProps/core.xml")?,
        ..DocumentParts::default()
    };
    let relations = relations_of(archive, main)?;
    let mut styles = HashMap::new();
    for relation in relations.iter().filter(|it| it.kind == "styles") {
        styles = read_styles(archive, &relation.target)?;
    }
    let mut reader = FlowReader::new(FlowParts::Runs, String::new(), &styles, &mut found);
    archive.xml(main, |item| reader.item(item))?;
    for relation in relations
        .iter()
        .filter(|it| ["footnotes", "endnotes"].contains(&it.kind.as_str()))
    {
        archive.xml(&relation.target, |item| reader.item(item))?;
    }
    reader.end_part(String::new())?;
    Ok(found)
}

/// Reads `content.xml` of an OpenDocument file.
pub(super) fn read_open_document(
    archive: &mut BoundedArchive,
    media_type: &str,
) -> Result<DocumentParts, OfficeError> {
    let manifest = archive.bytes("META-INF/manifest.xml")?.unwrap_or_default();
    if String::from_utf8_lossy(&manifest).contains("encryption-data") {
        return Err(OfficeError::Encrypted);
    }
    let flow = match media_type {
        kind if kind.contains("spreadsheet") => FlowParts::Tables,
        kind if kind.contains("presentation") => FlowParts::Pages,
        _ => FlowParts::Paragraphs,
    };
    let mut found = DocumentParts {
        title: core_title(archive, "meta.xml")?,
        ..DocumentParts::default()
    };
    let styles = HashMap::new();
    let mut reader = FlowReader::new(flow, String::new(), &styles, &mut found);
    archive.xml("content.xml", |item| reader.item(item))?;
    reader.end_part(String::new())?;
    Ok(found)
}

/// The title in the properties of a document.
pub(super) fn core_title(archive: &mut BoundedArchive, path: &str) -> Result<Option<String>, OfficeError> {
    let mut title = String::new();
    let mut in_title = false;
    archive.xml(path, |item| {
        match item {
            XmlItem::Start(start) => in_title = start.name == "title" && title.is_empty(),
            XmlItem::End(_) => in_title = false,
            XmlItem::Text(text) if in_title => title.push_str(text),
            XmlItem::Text(_) => {}
        }
        Ok(())
    })?;
    Ok((!title.trim().is_empty()).then_some(title))
}

/// Reads the kinds of styles. Style ids are in the language of the author's program; names of built-in styles are not.
fn read_styles(
    archive: &mut BoundedArchive,
    path: &str,
) -> Result<HashMap<String, ParagraphKind>, OfficeError> {
    let mut styles = HashMap::new();
    let mut id = String::new();
    archive.xml(path, |item| {
        let XmlItem::Start(start) = item else {
            return Ok(());
        };
        match start.name {
            "style" => id = start.attribute("styleId").unwrap_or_default(),
            "name" => {
                let name = start.attribute("val").unwrap_or_default().to_lowercase();
                let kind = match name.strip_prefix("heading ").map(str::parse) {
                    Some(Ok(level)) => Some(ParagraphKind::Heading(level)),
                    _ if name == "title" => Some(ParagraphKind::Heading(1)),
                    _ if name.starts_with("list ") => Some(ParagraphKind::Item),
                    _ => None,
                };
                styles.extend(kind.map(|kind| (id.clone(), kind)));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(styles)
}
