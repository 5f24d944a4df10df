//! Reads documents that are not plain text: PDF, office files, books and mail.
//!
//! Their parsers read hostile bytes, so they run in a child process: `spawn` starts this program for one document, and
//! `contained` is the code of the child, under limits that the kernel enforces. Everything else is plain functions from
//! bytes to texts, one file per group of formats. A page, a slide or a sheet is a separate document, so that a citation
//! names it: `report.pdf, page 3`.

/// Unpacks a zip file within limits.
mod archive;
/// The limits of the child process, and its answer.
mod contained;
mod epub;
/// Reasons why a document gives no text.
mod error;
/// Running text, lists and tables in XML: word processors and slides.
mod flow;
mod format;
mod mail;
/// The result of a parser.
mod part;
mod pdf;
/// Glyphs of a PDF page as lines and blocks.
mod pdf_layout;
/// Turns bytes into documents.
mod read;
/// Relations between the files of an office document.
mod relations;
/// Cells of a spreadsheet as a reader sees them.
mod sheet_values;
mod sheets;
mod slides;
mod spawn;
mod word;
/// Reads XML within limits.
mod xml;

#[cfg(test)]
mod tests;

pub use contained::read_contained;
pub(crate) use format::OfficeFormat;
pub use spawn::ReaderProgram;
pub(crate) use spawn::read_in_child;
