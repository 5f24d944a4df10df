//! PDF files, page by page: [`read_pdf`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use gemicro_core::corpus::BlockKind;
use gemicro_core::offline::sentence_ranges;
use pdf_extract::{Dictionary, Document, Object, ObjectId, decode_text_string, output_doc_page};

use super::error::OfficeError;
use super::part::{DocumentParts, PartWriter};
use super::pdf_layout::{PageBlock, PageLines, body_size};

/// Maximum time for reading; the pages read so far are kept. The kernel kills the process a little later.
const MAX_TIME: Duration = Duration::from_secs(8);

pub(super) fn read_pdf(bytes: &[u8]) -> Result<DocumentParts, OfficeError> {
    let begun_at = Instant::now();
    let document = load(bytes)?;
    let ids = document.get_pages();
    let mut lines: Vec<PageLines> = Vec::new();
    let mut damaged = Vec::new();
    let mut n_scanned = 0;
    for (number, id) in &ids {
        if begun_at.elapsed() > MAX_TIME {
            break;
        }
        let mut page = PageLines::default();
        // The parser panics on unexpected input; the other pages may be fine.
        let read = catch_unwind(AssertUnwindSafe(|| {
            output_doc_page(&document, &mut page, *number)
        }));
        if !matches!(read, Ok(Ok(()))) {
            damaged.push(*number);
        }
        n_scanned += usize::from(page.is_empty() && has_image(&document, *id));
        lines.push(page);
    }
    let mut found = DocumentParts::default();
    let count = |n_pages: usize| match n_pages {
        1 => "1 page".to_owned(),
        n => format!("{n} pages"),
    };
    if lines.len() < ids.len() {
        let seconds = MAX_TIME.as_secs();
        found.left_out.push(format!(
            "pages after page {} not read (limit of {seconds} seconds)",
            lines.len()
        ));
    }
    if !damaged.is_empty() {
        found.left_out.push(format!("{} damaged", count(damaged.len())));
    }
    if lines.iter().all(PageLines::is_empty) && n_scanned > 0 {
        return Err(OfficeError::Scanned(count(n_scanned)));
    }
    if n_scanned > 0 {
        found
            .left_out
            .push(format!("{} without text (scanned?)", count(n_scanned)));
    }
    let body = body_size(&lines);
    let mut pages: Vec<Vec<PageBlock>> = lines.into_iter().map(|page| page.blocks(body)).collect();
    for next in 1..pages.len() {
        let (before, after) = pages.split_at_mut(next);
        end_sentence(&mut before[next - 1], &mut after[0]);
    }
    for (number, blocks) in (1..).zip(&pages) {
        found.push(format!("page {number}"), write_page(blocks)?)?;
    }
    let first = found.parts.first().and_then(|part| part.parsed.title.clone());
    found.title = first.or_else(|| stated_title(&document));
    // A page has no title of its own; the text at its top is a heading.
    for part in &mut found.parts {
        part.parsed.title = None;
    }
    if found.parts.is_empty() && !damaged.is_empty() {
        return Err(OfficeError::broken_file("none of its pages can be read"));
    }
    Ok(found)
}

fn load(bytes: &[u8]) -> Result<Document, OfficeError> {
    let mut document = Document::load_mem(bytes).map_err(|error| match error {
        pdf_extract::Error::Decryption(_) | pdf_extract::Error::InvalidPassword => OfficeError::Encrypted,
        error => OfficeError::broken_file(error),
    })?;
    // Some files are encrypted with an empty password, to forbid printing: anyone may read them.
    if document.is_encrypted() {
        document.decrypt("").map_err(|_| OfficeError::Encrypted)?;
    }
    Ok(document)
}

/// Whether a page shows an image, as a scanned one does.
fn has_image(document: &Document, page: ObjectId) -> bool {
    let Ok((own, shared)) = document.get_page_resources(page) else {
        return false;
    };
    let shared = shared.iter().filter_map(|id| document.get_dictionary(*id).ok());
    let is_image = |object: &Object| {
        let (_, object) = document.dereference(object).ok()?;
        let kind = object.as_stream().ok()?.dict.get(b"Subtype").ok()?;
        Some(kind.as_name().ok()? == b"Image")
    };
    own.into_iter().chain(shared).any(|resources: &Dictionary| {
        let objects = document.get_dict_in_dict(resources, b"XObject");
        objects.is_ok_and(|objects| objects.iter().any(|(_, object)| is_image(object) == Some(true)))
    })
}

fn stated_title(document: &Document) -> Option<String> {
    let information = document.get_dict_in_dict(&document.trailer, b"Info").ok()?;
    let title = decode_text_string(information.get(b"Title").ok()?).ok()?;
    (!title.trim().is_empty() && title != "untitled").then_some(title)
}

/// Appends the rest of a sentence that continues on the next page, so that it can be quoted in full.
fn end_sentence(page: &mut [PageBlock], next: &mut Vec<PageBlock>) {
    let Some(last) = page.last_mut() else { return };
    let Some(first) = next.first_mut() else { return };
    if !last.goes_on_in(first) {
        return;
    }
    let end = sentence_ranges(&first.text, BlockKind::Paragraph)
        .first()
        .map_or(first.text.len(), |sentence| sentence.end);
    last.append(&first.text[..end]);
    first.text.drain(..end);
    if first.text.trim().is_empty() {
        next.remove(0);
    }
}

fn write_page(blocks: &[PageBlock]) -> Result<crate::parse::ParsedText, OfficeError> {
    let mut writer = PartWriter::default();
    for block in blocks {
        match block.kind {
            BlockKind::Heading => writer.heading(block.level, &super::part::cell_text(&block.text))?,
            BlockKind::TableRow => {
                let cells: Vec<String> = block.text.split('\t').map(super::part::cell_text).collect();
                writer.row(&cells)?;
            }
            kind => writer.block(kind, &block.text)?,
        }
    }
    Ok(writer.finish())
}
