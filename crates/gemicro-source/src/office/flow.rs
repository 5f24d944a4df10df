//! Reads running text, lists and tables from XML: [`FlowReader`].
//!
//! The vocabularies of Word, PowerPoint and OpenDocument are similar enough for one table of names: paragraphs, runs of
//! text, tables of rows of cells. Content that is invisible in the document is left out: deleted text, comments, field
//! codes, hidden runs.

use std::collections::HashMap;

use gemicro_core::corpus::BlockKind;

use super::error::OfficeError;
use super::part::{DocumentParts, PartWriter, cell_text};
use super::xml::{XmlItem, XmlStart};

/// Maximum number of columns in a table.
const MAX_COLUMNS: usize = 16_384;

/// Elements whose content is not visible to a reader. `fld` is the number of a slide.
const UNSEEN: [&str; 12] = [
    "del",
    "moveFrom",
    "delText",
    "instrText",
    "tabs",
    "fld",
    "Fallback",
    "annotation",
    "tracked-changes",
    "sequence-decls",
    "forms",
    "script",
];

/// How the parts of a document are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowParts {
    /// One part, with text only in runs (`w:t`, `a:t`).
    Runs,
    /// One part, with text directly inside paragraphs, as in OpenDocument.
    Paragraphs,
    /// As `Paragraphs`, but each page is a slide.
    Pages,
    /// As `Paragraphs`, but each table is a sheet.
    Tables,
}

/// The kind of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParagraphKind {
    Heading(usize),
    Item,
    Plain,
}

struct OpenParagraph {
    text: String,
    kind: ParagraphKind,
}

#[derive(Default)]
struct OpenTable {
    cells: Vec<String>,
    cell: String,
    n_columns: usize,
}

/// Reads items of XML into parts.
pub(super) struct FlowReader<'a> {
    flow: FlowParts,
    /// The kind of paragraph of each named style, by its id.
    styles: &'a HashMap<String, ParagraphKind>,
    found: &'a mut DocumentParts,
    /// Name of the part that is being written, such as `slide 2`.
    place: String,
    n_pages: usize,
    writer: PartWriter,
    /// The open paragraphs: notes and text boxes are inside others.
    paragraphs: Vec<OpenParagraph>,
    tables: Vec<OpenTable>,
    n_lists: usize,
    /// Depth of open elements inside one that is not visible; 0 outside.
    n_unseen: usize,
    in_run_text: bool,
    is_run_hidden: bool,
    is_title: bool,
}

impl<'a> FlowReader<'a> {
    pub(super) fn new(
        flow: FlowParts,
        place: String,
        styles: &'a HashMap<String, ParagraphKind>,
        found: &'a mut DocumentParts,
    ) -> Self {
        Self {
            flow,
            styles,
            found,
            place,
            n_pages: 0,
            writer: PartWriter::default(),
            paragraphs: Vec::new(),
            tables: Vec::new(),
            n_lists: 0,
            n_unseen: 0,
            in_run_text: false,
            is_run_hidden: false,
            is_title: false,
        }
    }

    pub(super) fn item(&mut self, item: XmlItem<'_>) -> Result<(), OfficeError> {
        match item {
            XmlItem::Start(_) if self.n_unseen > 0 => self.n_unseen += 1,
            XmlItem::Start(start) if UNSEEN.contains(&start.name) => self.n_unseen = 1,
            XmlItem::Start(start) => return self.start(&start),
            XmlItem::End(_) if self.n_unseen > 0 => self.n_unseen -= 1,
            XmlItem::End(name) => return self.end(name),
            XmlItem::Text(text) => self.text(text),
        }
        Ok(())
    }

    /// Adds a heading that is not in the document itself.
    pub(super) fn heading(&mut self, level: usize, text: &str) -> Result<(), OfficeError> {
        self.writer.heading(level, text)
    }

    /// Ends the part that is being written.
    pub(super) fn end_part(&mut self, next_place: String) -> Result<(), OfficeError> {
        let place = std::mem::replace(&mut self.place, next_place);
        self.found.push(place, std::mem::take(&mut self.writer).finish())
    }

    fn start(&mut self, start: &XmlStart<'_>) -> Result<(), OfficeError> {
        let value = || start.attribute("val");
        match start.name {
            "p" => self.open_paragraph(ParagraphKind::Plain),
            "h" => self.open_paragraph(ParagraphKind::Heading(start.number("outline-level").unwrap_or(2))),
            "pStyle" => {
                let known = value().and_then(|id| self.styles.get(&id).copied());
                self.set_kind(known.unwrap_or(ParagraphKind::Plain));
            }
            "outlineLvl" => {
                if let Some(level @ 0..=8) = start.number("val") {
                    self.set_kind(ParagraphKind::Heading(level + 1));
                }
            }
            "numPr" => self.set_kind(ParagraphKind::Item),
            "ph" => {
                let kind = start.attribute("type");
                self.is_title = kind.is_some_and(|kind| kind == "title" || kind == "ctrTitle");
            }
            "list-item" => self.n_lists += 1,
            "r" => self.is_run_hidden = false,
            "vanish" => self.is_run_hidden = value().is_none_or(|value| value != "0" && value != "false"),
            "t" => self.in_run_text = true,
            "tab" | "s" => self.push_text(" "),
            "br" | "cr" | "line-break" => self.push_text("\n"),
            "noBreakHyphen" => self.push_text("-"),
            "tbl" | "table" => {
                if self.flow == FlowParts::Tables && self.tables.is_empty() {
                    let name = start.attribute("name").unwrap_or_default();
                    self.end_part(format!("sheet {}", cell_text(&name)))?;
                }
                self.tables.push(OpenTable::default());
            }
            "page" if self.flow == FlowParts::Pages => {
                self.n_pages += 1;
                self.end_part(format!("slide {}", self.n_pages))?;
            }
            "tr" | "table-row" => {
                if let Some(table) = self.tables.last_mut() {
                    table.cells.clear();
                }
            }
            "tc" | "table-cell" | "covered-table-cell" => {
                if let Some(table) = self.tables.last_mut() {
                    table.cell.clear();
                    table.n_columns = start.number("number-columns-repeated").unwrap_or(1);
                }
            }
            "gridSpan" => {
                if let (Some(table), Some(n_columns)) = (self.tables.last_mut(), start.number("val")) {
                    table.n_columns = n_columns;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), OfficeError> {
        match name {
            "p" | "h" => return self.end_paragraph(),
            "t" => self.in_run_text = false,
            "sp" => self.is_title = false,
            "list-item" => self.n_lists = self.n_lists.saturating_sub(1),
            "tc" | "table-cell" | "covered-table-cell" => {
                if let Some(table) = self.tables.last_mut() {
                    let cell = cell_text(&table.cell);
                    // A cell that spans columns has its text in the first; OpenDocument repeats identical cells.
                    let n_more = table
                        .n_columns
                        .max(1)
                        .min(MAX_COLUMNS - table.cells.len().min(MAX_COLUMNS));
                    let is_repeated = !matches!(self.flow, FlowParts::Runs);
                    for idx in 0..n_more {
                        let text = if idx == 0 || is_repeated {
                            cell.clone()
                        } else {
                            String::new()
                        };
                        table.cells.push(text);
                    }
                }
            }
            "tr" | "table-row" => return self.end_row(),
            "tbl" | "table" => {
                self.tables.pop();
            }
            _ => {}
        }
        Ok(())
    }

    fn open_paragraph(&mut self, kind: ParagraphKind) {
        let kind = match kind {
            ParagraphKind::Plain if self.n_lists > 0 => ParagraphKind::Item,
            ParagraphKind::Plain if self.is_title => ParagraphKind::Heading(1),
            kind => kind,
        };
        self.paragraphs.push(OpenParagraph {
            text: String::new(),
            kind,
        });
    }

    /// A numbered heading stays a heading.
    fn set_kind(&mut self, kind: ParagraphKind) {
        if let Some(paragraph) = self.paragraphs.last_mut()
            && !matches!(paragraph.kind, ParagraphKind::Heading(_))
        {
            paragraph.kind = kind;
        }
    }

    fn text(&mut self, text: &str) {
        let is_seen = self.n_unseen == 0 && !self.is_run_hidden;
        if is_seen && (self.in_run_text || !matches!(self.flow, FlowParts::Runs)) {
            self.push_text(text);
        }
    }

    fn push_text(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_str(text);
        }
    }

    fn end_paragraph(&mut self) -> Result<(), OfficeError> {
        let Some(paragraph) = self.paragraphs.pop() else {
            return Ok(());
        };
        if let Some(table) = self.tables.last_mut() {
            table.cell.push(' ');
            table.cell.push_str(&paragraph.text);
            return Ok(());
        }
        match paragraph.kind {
            ParagraphKind::Heading(level) => self.writer.heading(level, &cell_text(&paragraph.text)),
            ParagraphKind::Item => self.writer.block(BlockKind::ListItem, &paragraph.text),
            ParagraphKind::Plain => self.writer.block(BlockKind::Paragraph, &paragraph.text),
        }
    }

    fn end_row(&mut self) -> Result<(), OfficeError> {
        let Some(table) = self.tables.last_mut() else {
            return Ok(());
        };
        let cells = std::mem::take(&mut table.cells);
        match self.tables.len() {
            1 => self.writer.row(&cells),
            // A table inside a cell becomes text of that cell.
            n_tables => {
                let outer = &mut self.tables[n_tables - 2];
                outer.cell.push(' ');
                outer.cell.push_str(&cells.join(" "));
                Ok(())
            }
        }
    }
}
