//! What a reader sees around a piece: above it, and the line that a comment is about.

use std::ops::Range;

use crate::corpus::{BlockKind, Passage};
use crate::offline::documents::OpenDocument;
use crate::offline::table;

pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let lead = line.len() - line.trim_start().len();
            found.push(start + lead..start + lead + trimmed.len());
        }
        start += line.len();
    }
    found
}

/// What a reader has seen before a passage: title, heading, path, date, and what opens its list, table or code.
pub(super) fn above(document: &OpenDocument, passage: &Passage) -> String {
    let place = document.place(passage);
    let lead = place.and_then(|place| lead(&document.passages[..place], passage.kind));
    let heads = match passage.kind {
        BlockKind::TableRow => table::column_heads(document, passage).join(" "),
        _ => String::new(),
    };
    format!(
        "{} {} {} {} {} {heads}",
        passage.title,
        passage.heading.as_deref().unwrap_or(""),
        passage.doc,
        passage.date.as_deref().unwrap_or(""),
        lead.unwrap_or(""),
    )
}

/// The text that opens a list or a block of code: a comment, or a sentence with a colon at its end.
fn lead(before: &[Passage], kind: BlockKind) -> Option<&str> {
    let opener = before.iter().rev().find(|it| it.kind != kind)?;
    let opens = match opener.kind {
        BlockKind::Comment => matches!(kind, BlockKind::KeyValue | BlockKind::Code),
        BlockKind::Paragraph | BlockKind::ListItem => {
            kind == BlockKind::Code || opener.text.trim_end().ends_with(':')
        }
        BlockKind::Heading | BlockKind::TableRow | BlockKind::Code | BlockKind::KeyValue => false,
    };
    opens.then_some(opener.text.as_str())
}

/// The line that a comment is about, where the piece opens or ends the comment.
pub(super) fn below(
    document: &OpenDocument,
    passage: &Passage,
    range: &Range<usize>,
) -> Option<(Passage, Range<usize>)> {
    let is_last = passage.text[range.end..].trim().is_empty();
    if passage.kind != BlockKind::Comment || !is_last && range.start > 0 {
        return None;
    }
    let next = document.passages.get(document.place(passage)? + 1)?;
    let is_code = matches!(next.kind, BlockKind::Code | BlockKind::KeyValue);
    let line = lines(&next.text).into_iter().next()?;
    (is_code && document.is_quotable(next)).then(|| (next.clone(), line))
}

/// A question in a document and the sentence behind it are one piece.
pub(super) fn with_answers(text: &str, sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for sentence in sentences {
        match found.last_mut() {
            Some(last) if is_asking(&text[last.clone()]) => last.end = sentence.end,
            _ => found.push(sentence),
        }
    }
    found
}

/// It ends with a question mark.
pub(super) fn is_asking(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(['*', '_']);
    text.ends_with(['?', '？', '؟'])
}
