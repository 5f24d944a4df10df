//! Turns the bytes of a document into its texts: [`read_office`].

use gemicro_core::corpus::Document;
use serde::{Deserialize, Serialize};

use super::archive::BoundedArchive;
use super::epub::read_book;
use super::error::OfficeError;
use super::format::OfficeFormat;
use super::mail::read_mail;
use super::part::DocumentParts;
use super::pdf::read_pdf;
use super::relations::relations_of;
use super::sheets::read_sheets;
use super::slides::read_slides;
use super::word::{read_open_document, read_word};
use crate::parse::finish_document;

/// The texts of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfficeText {
    /// One per page, slide or sheet. Their ids name the part; the caller prefixes them with the document's id.
    pub(crate) documents: Vec<Document>,
    /// Message about content that was not read.
    pub(crate) left_out: Option<String>,
}

/// Reads a document. `name` is its file name.
pub(super) fn read_office(name: &str, bytes: Vec<u8>) -> Result<OfficeText, OfficeError> {
    let found = match OfficeFormat::of(name) {
        _ if bytes.starts_with(b"%PDF-") => read_pdf(&bytes)?,
        Some(OfficeFormat::Mail) => read_mail(&bytes)?,
        Some(OfficeFormat::Archive) => read_archive(bytes)?,
        Some(OfficeFormat::Pdf) | None => read_pdf(&bytes)?,
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    into_documents(stem, found)
}

fn read_archive(bytes: Vec<u8>) -> Result<DocumentParts, OfficeError> {
    // An office file with a password is wrapped in the container format used before 2007.
    if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        let marker: Vec<u8> = "EncryptedPackage".bytes().flat_map(|byte| [byte, 0]).collect();
        return Err(match bytes.windows(marker.len()).any(|window| window == marker) {
            true => OfficeError::Encrypted,
            false => OfficeError::broken_file("it is in an Office format from before 2007"),
        });
    }
    let mut archive = BoundedArchive::open(bytes)?;
    if archive.has("META-INF/container.xml") && !archive.has("content.xml") {
        return read_book(&mut archive);
    }
    if archive.has("content.xml") {
        let media_type = archive.bytes("mimetype")?.unwrap_or_default();
        return read_open_document(&mut archive, &String::from_utf8_lossy(&media_type));
    }
    let relations = relations_of(&mut archive, "")?;
    let main = relations.iter().find(|it| it.kind == "officeDocument");
    match main.map(|it| it.target.as_str()) {
        Some(main) if main.starts_with("word/") => read_word(&mut archive, main),
        Some(main) if main.starts_with("ppt/") => read_slides(&mut archive, main),
        Some(main) if main.starts_with("xl/") => read_sheets(&mut archive, main),
        _ => Err(OfficeError::broken_file("it is a zip file, not a document")),
    }
}

/// Turns the parts into documents. Parts without a date or title get those of the first part.
fn into_documents(stem: &str, found: DocumentParts) -> Result<OfficeText, OfficeError> {
    if found.parts.is_empty() {
        return Err(match found.left_out.is_empty() {
            true => OfficeError::Empty,
            false => OfficeError::Hidden(found.left_out.join(", ")),
        });
    }
    let mut documents: Vec<Document> = Vec::new();
    let mut name = found.title.clone();
    for mut part in found.parts {
        if part.place.is_empty() && found.title.is_some() {
            part.parsed.title.clone_from(&found.title);
        }
        name = name.or_else(|| part.parsed.title.clone());
        let mut document = finish_document(&part.place, name.as_deref().unwrap_or(stem), part.parsed);
        // A date in a cell does not apply to the other sheets.
        if !document.doc.starts_with("sheet ") {
            document.date = document.date.or_else(|| documents.first()?.date.clone());
        }
        documents.push(document);
    }
    let left_out =
        (!found.left_out.is_empty()).then(|| format!("read in part: {}", found.left_out.join(", ")));
    Ok(OfficeText { documents, left_out })
}
