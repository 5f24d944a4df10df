//! Documents that are no plain text: PDF, office files, books and mail.
//!
//! Their parsers read hostile bytes, so they run in a child process: `spawn` starts this program for one document, and
//! `contained` is what it does there, under limits that the kernel keeps. Everything below those two is plain functions
//! from bytes to texts, one file per family of formats. A page, a slide or a sheet is a document of its own, so that a
//! citation names it: `report.pdf, page 3`.

/// A zip file, unpacked within bounds.
mod archive;
/// The limits of the child process, and its answer.
mod contained;
/// Books.
mod epub;
/// Why a document gives no text.
mod error;
/// Running text, lists and tables in XML: word processors and slides.
mod flow;
/// Which files are read here.
mod format;
/// Mail.
mod mail;
/// What a parser found.
mod part;
/// PDF files.
mod pdf;
/// Glyphs of a PDF page as lines and blocks.
mod pdf_layout;
/// From bytes to documents.
mod read;
/// Relations between the files of an office document.
mod relations;
/// Cells of a spreadsheet as a reader sees them.
mod sheet_values;
/// Spreadsheets.
mod sheets;
/// Slides.
mod slides;
/// The child process.
mod spawn;
/// Word processors.
mod word;
/// XML, within bounds.
mod xml;

#[cfg(test)]
mod tests;

pub use contained::read_contained;
pub(crate) use format::OfficeFormat;
pub use spawn::ReaderProgram;
pub(crate) use spawn::read_in_child;
