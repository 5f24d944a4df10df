//! Reads the sections of an EPUB book in reading order: [`read_book`].

use std::collections::HashMap;

use super::archive::BoundedArchive;
use super::error::OfficeError;
use super::part::{DocumentParts, cell_text};
use super::relations::join;
use super::word::core_title;
use super::xml::XmlItem;
use crate::parse::parse_html;
use crate::read::decode;

pub(super) fn read_book(archive: &mut BoundedArchive) -> Result<DocumentParts, OfficeError> {
    if archive.has("META-INF/rights.xml") {
        return Err(OfficeError::Encrypted);
    }
    let mut package = None;
    archive.xml("META-INF/container.xml", |item| {
        if let XmlItem::Start(start) = item
            && start.name == "rootfile"
            && package.is_none()
        {
            package = start.attribute("full-path");
        }
        Ok(())
    })?;
    let package = package.ok_or_else(|| OfficeError::broken_file("its list of files is missing"))?;
    let mut found = DocumentParts {
        title: core_title(archive, &package)?,
        ..DocumentParts::default()
    };
    for (number, path) in (1..).zip(sections(archive, &package)?) {
        let Some(bytes) = archive.bytes(&path)? else {
            continue;
        };
        let Ok(text) = decode(&bytes) else {
            found.left_out.push(format!("section {number} is not text"));
            continue;
        };
        let parsed = parse_html(&text);
        let place = match parsed.title.as_deref().map(cell_text) {
            Some(title) if !title.is_empty() => format!("section {number} ({title})"),
            _ => format!("section {number}"),
        };
        found.push(place, parsed)?;
    }
    Ok(found)
}

/// The files of the sections, in reading order, without the table of contents.
fn sections(archive: &mut BoundedArchive, package: &str) -> Result<Vec<String>, OfficeError> {
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files: HashMap<String, String> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    archive.xml(package, |item| {
        let XmlItem::Start(start) = item else {
            return Ok(());
        };
        let value = |name: &str| start.attribute(name).unwrap_or_default();
        let is_contents = value("properties").split_whitespace().any(|it| it == "nav");
        if start.name == "item" && !is_contents {
            files.insert(value("id"), join(folder, &percent_decoded(&value("href"))));
        } else if start.name == "itemref" {
            order.push(value("idref"));
        }
        Ok(())
    })?;
    Ok(order.iter().filter_map(|id| files.get(id).cloned()).collect())
}

/// Decodes a file name, which is a URL in an EPUB: `chapter%201.xhtml`.
fn percent_decoded(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = address.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                decoded.push(code);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
