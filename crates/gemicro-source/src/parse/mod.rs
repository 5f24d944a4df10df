//! From a file's text to a document with readable blocks. One file per format.
//!
//! `document` chooses the parser and makes the document of what it found.

/// Collects blocks and keeps the promise on them.
mod blocks;
mod code;
/// Colours of CSS and HTML.
mod color;
mod config;
/// The date a document gives itself.
mod date;
/// From text to document.
mod document;
/// The stack of open HTML elements.
mod elements;
/// Which parser reads a file.
mod format;
/// What hides an HTML element.
mod hiding;
mod html;
/// Comment marks of the usual languages.
mod language;
mod markdown;
/// Rules of the style sheets inside a page.
mod selector;
mod style_rules;
mod style_variables;
/// Tags in raw HTML, with their places.
mod tag_scan;
/// Plain text and records.
mod text;

#[cfg(test)]
mod style_tests;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use blocks::BlockList;
pub use document::parse;
pub(crate) use document::{ParseAs, ParsedText, finish_document, parse_as, parse_html, parse_text};
pub use format::Format;
pub use language::CommentSyntax;
