//! Turns a file's text into a document with readable blocks: [`parse`]. One file per format.
//!
//! A block covers only text that a human reader sees; markup comments, hidden elements, front matter and paragraphs
//! with invisible characters inside their words, or that a terminal shows otherwise, are outside. The meaning of visible text is not judged here: a chat
//! template or a planted instruction is a block like any other.

use std::ops::Range;

use gemicro_core::corpus::{Block, Document};

use super::blocks::BlockList;
use super::format::Format;
use super::{code, config, date, html, markdown, text};
use crate::read::invisible::{is_disguise, is_removed, overwritten, unseen_runs};

/// The result of a format's parser, which sets all fields.
pub(crate) struct ParsedText {
    /// The stored text; for HTML the visible text, otherwise the decoded text.
    pub(crate) text: String,
    /// The visible parts of the text.
    pub(crate) blocks: Vec<Block>,
    /// The document's own title.
    pub(crate) title: Option<String>,
    /// A date from front matter or metadata; the first lines are searched when there is none.
    pub(crate) date: Option<String>,
}

/// Parses decoded text in the format that its name suggests.
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

/// The known facts about a text before it is parsed.
pub(crate) struct ParseAs<'a> {
    /// Id of the document.
    pub(crate) doc: &'a str,
    /// Title for a text that has none.
    pub(crate) name: &'a str,
    pub(crate) format: Format,
    /// Checked regularly while parsing HTML, because a hostile page can take minutes. When it returns false, parsing
    /// stops: the caller has given up.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

/// Parses decoded text in a known format.
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

/// Turns the result of a parser into a document; `name` is its title if it has none.
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
/// what these blocks really say.
fn visible(parsed: ParsedText) -> ParsedText {
    let title = parsed.title.map(|title| title.replace(is_removed, ""));
    if unseen_runs(&parsed.text)
        .chain(overwritten(&parsed.text))
        .next()
        .is_none()
    {
        return ParsedText { title, ..parsed };
    }
    let mut disguises: Vec<Range<usize>> = unseen_runs(&parsed.text)
        .filter(|run| is_disguise(&parsed.text, run.clone()))
        .chain(overwritten(&parsed.text))
        .collect();
    disguises.sort_by_key(|run| run.start);
    disguises.dedup_by(|next, run| {
        let joins = next.start <= run.end;
        run.end = if joins { run.end.max(next.end) } else { run.end };
        joins
    });
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

/// The text with white space collapsed, at most 300 characters.
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
