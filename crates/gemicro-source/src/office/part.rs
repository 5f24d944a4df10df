//! The result of a parser: [`DocumentPart`]s, written by a [`PartWriter`].

use gemicro_core::corpus::BlockKind;

use super::error::{MAX_TEXT, OfficeError};
use crate::parse::{BlockList, ParsedText};

/// One page, slide or sheet; or the whole document if it has none.
pub(super) struct DocumentPart {
    /// Its name in citations, such as `page 3`; empty for the whole document.
    pub(super) place: String,
    pub(super) parsed: ParsedText,
}

/// All parts of a document.
#[derive(Default)]
pub(super) struct DocumentParts {
    pub(super) parts: Vec<DocumentPart>,
    /// The title of the document as a whole.
    pub(super) title: Option<String>,
    /// Messages about content that was not read.
    pub(super) left_out: Vec<String>,
}

impl DocumentParts {
    /// Adds a part that has text, if the document stays within its limit.
    pub(super) fn push(&mut self, place: String, parsed: ParsedText) -> Result<(), OfficeError> {
        if parsed.blocks.is_empty() {
            return Ok(());
        }
        self.parts.push(DocumentPart { place, parsed });
        let n_bytes: usize = self.parts.iter().map(|part| part.parsed.text.len()).sum();
        if n_bytes > MAX_TEXT {
            return Err(OfficeError::Text);
        }
        Ok(())
    }
}

/// The text of a part while it is written, block by block.
#[derive(Default)]
pub(super) struct PartWriter {
    text: String,
    blocks: BlockList,
    title: Option<String>,
}

impl PartWriter {
    /// Adds a heading; its level is the number of `#` before it, as in Markdown.
    pub(super) fn heading(&mut self, level: usize, text: &str) -> Result<(), OfficeError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.title.get_or_insert_with(|| text.trim().to_owned());
        self.text.push_str(&"#".repeat(level.clamp(1, 6)));
        self.text.push(' ');
        self.block(BlockKind::Heading, text)
    }

    /// Adds a paragraph or a list item.
    pub(super) fn block(&mut self, kind: BlockKind, text: &str) -> Result<(), OfficeError> {
        let start = self.text.len();
        self.text.push_str(text.trim());
        if self.text.len() > MAX_TEXT {
            return Err(OfficeError::Text);
        }
        if self.text.len() > start {
            self.blocks.push(&self.text, kind, start..self.text.len());
            self.text.push_str("\n\n");
        }
        Ok(())
    }

    /// Adds a table row, as a line with tabs between the cells and quotes as in CSV.
    pub(super) fn row(&mut self, cells: &[String]) -> Result<(), OfficeError> {
        let n_cells = cells
            .iter()
            .rposition(|cell| !cell.is_empty())
            .map_or(0, |last| last + 1);
        let written = cells[..n_cells].iter().enumerate().map(|(idx, cell)| match cell {
            // White space at the start of a row would be trimmed, and the row would lose its first column.
            cell if cell.is_empty() && idx == 0 => "\"\"".to_owned(),
            cell if cell.contains('"') => format!("\"{}\"", cell.replace('"', "\"\"")),
            cell => cell.clone(),
        });
        let line = written.collect::<Vec<_>>().join("\t");
        if !line.is_empty() && self.text.ends_with("\n\n") && self.is_after_row() {
            self.text.pop();
        }
        self.block(BlockKind::TableRow, &line)
    }

    fn is_after_row(&self) -> bool {
        self.blocks.last_kind() == Some(BlockKind::TableRow)
    }

    pub(super) fn finish(self) -> ParsedText {
        ParsedText {
            text: self.text,
            blocks: self.blocks.finish(),
            title: self.title,
            date: None,
        }
    }
}

/// The text of a cell on one line.
pub(super) fn cell_text(text: &str) -> String {
    gemicro_event::text::one_line(text)
}
