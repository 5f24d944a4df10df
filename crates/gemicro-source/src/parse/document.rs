//! From a file's text to a document with readable blocks: [`parse`]. One file per format.
//!
//! A block covers only what a human reader sees; comments of a markup language, hidden elements, front matter and
//! paragraphs with invisible characters inside their words stay outside. What a visible text says is not judged here: a
//! chat template or a planted instruction is a block like any other.

use std::ops::Range;

use gemicro_core::corpus::{Block, Document};

use super::blocks::BlockList;
use super::format::Format;
use super::{code, config, date, html, markdown, text};
use crate::read::invisible::{is_disguise, is_removed, unseen_runs};

/// What a format's parser found. Each parser fills it in whole.
pub(crate) struct ParsedText {
    /// The stored text; for HTML what a reader sees, else the text as it was decoded.
    pub(crate) text: String,
    /// What a reader sees of it.
    pub(crate) blocks: Vec<Block>,
    /// The title the document gives itself.
    pub(crate) title: Option<String>,
    /// A date from front matter or metadata; the first lines are searched when there is none.
    pub(crate) date: Option<String>,
}

/// Parses a decoded text as the format that its name tells.
#[must_use]
pub fn parse(doc: &str, text: String) -> Document {
    let reading = ParseAs {
        doc,
        name: file_stem(doc),
        format: Format::of(doc, &text),
        is_wanted: &|| true,
    };
    parse_as(&reading, text)
}

/// What is known about a text before it is parsed.
pub(crate) struct ParseAs<'a> {
    /// Id of the document.
    pub(crate) doc: &'a str,
    /// Title of a text that gives itself none.
    pub(crate) name: &'a str,
    /// Its format.
    pub(crate) format: Format,
    /// Asked now and then while HTML is read, which a hostile page can make take minutes. Once it says no,
    /// the rest is left out: nobody waits for the document any more.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

/// Parses a decoded text as a known format.
pub(crate) fn parse_as(reading: &ParseAs<'_>, text: String) -> Document {
    let parsed = match reading.format {
        Format::Markdown => markdown::parse(text),
        Format::Html => html::parse(&text, reading.is_wanted),
        Format::Text => text::parse(text),
        Format::Lines => text::parse_lines(text),
        Format::Code(language) => code::parse(text, language),
        Format::Config(language) => config::parse(text, language),
    };
    finish_document(reading.doc, reading.name, parsed)
}

/// An HTML page that is part of a document.
pub(crate) fn parse_html(page: &str) -> ParsedText {
    html::parse(page, &|| true)
}

/// Plain text that is part of a document.
pub(crate) fn parse_text(text: String) -> ParsedText {
    text::parse(text)
}

/// What a parser found as a document; `name` is its title if it gives itself none.
pub(crate) fn finish_document(doc: &str, name: &str, parsed: ParsedText) -> Document {
    let parsed = visible(parsed);
    let title = parsed
        .title
        .map(|title| one_line(&title))
        .filter(|title| !title.is_empty());
    Document {
        doc: doc.to_owned(),
        title: title.unwrap_or_else(|| one_line(name)),
        date: parsed.date.or_else(|| date::near_top(&parsed.text)),
        text: parsed.text,
        blocks: parsed.blocks,
    }
}

/// Removes invisible characters from a text, and blocks with words that such characters disguise: a reader does not see
/// what is written there.
fn visible(parsed: ParsedText) -> ParsedText {
    let title = parsed.title.map(|title| title.replace(is_removed, ""));
    if unseen_runs(&parsed.text).next().is_none() {
        return ParsedText { title, ..parsed };
    }
    let disguises: Vec<Range<usize>> = unseen_runs(&parsed.text)
        .filter(|run| is_disguise(&parsed.text, run.clone()))
        .collect();
    let mut text = String::with_capacity(parsed.text.len());
    let mut blocks = BlockList::default();
    let mut end = 0;
    for block in parsed.blocks {
        text.extend(
            parsed.text[end..block.range.start]
                .chars()
                .filter(|c| !is_removed(*c)),
        );
        let start = text.len();
        text.extend(
            parsed.text[block.range.clone()]
                .chars()
                .filter(|c| !is_removed(*c)),
        );
        let first = disguises.partition_point(|run| run.end <= block.range.start);
        if disguises
            .get(first)
            .is_none_or(|run| run.start >= block.range.end)
        {
            blocks.push(&text, block.kind, start..text.len());
        }
        end = block.range.end;
    }
    text.extend(parsed.text[end..].chars().filter(|c| !is_removed(*c)));
    ParsedText {
        text,
        blocks: blocks.finish(),
        title,
        date: parsed.date,
    }
}

/// White space collapsed, at most 300 characters.
fn one_line(text: &str) -> String {
    gemicro_event::text::one_line(text).chars().take(300).collect()
}

fn file_stem(doc: &str) -> &str {
    let name = doc.rsplit('/').next().unwrap_or(doc);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
