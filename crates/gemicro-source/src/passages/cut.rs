//! Cuts blocks into passages, the units of search: [`cut_passages`].
//!
//! A block of usual length is one passage. A longer one is cut at sentence ends (code at line ends), so that
//! a sentence is whole in one passage; only a sentence beyond [`HARD_LIMIT`] is cut at white space.

use std::ops::Range;

use gemicro_core::corpus::{BlockKind, Document, Passage};
use gemicro_core::offline::sentence_ranges;
use gemicro_event::text::one_line;

/// Maximum length of a passage to which a sentence is added, in bytes.
pub const SOFT_LIMIT: usize = 1_200;
/// Maximum length of any passage, in bytes.
pub const HARD_LIMIT: usize = 4_096;

/// The passages of a document in reading order. Headings are passages too, with their own kind.
#[must_use]
pub fn cut_passages(document: &Document) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    for block in &document.blocks {
        let Some(text) = document.text.get(block.range.clone()) else {
            continue;
        };
        for piece in cut(text, block.kind) {
            passages.push(Passage {
                doc: document.doc.clone(),
                ordinal: u32::try_from(passages.len()).unwrap_or(u32::MAX),
                range: block.range.start + piece.start..block.range.start + piece.end,
                text: text[piece].to_owned(),
                kind: block.kind,
                heading: heading_path(&headings),
                title: document.title.clone(),
                date: document.date.clone(),
            });
        }
        if block.kind == BlockKind::Heading {
            let level = heading_level(&document.text[..block.range.start]);
            headings.retain(|(above, _)| *above < level);
            headings.push((level, one_line(text)));
        }
    }
    passages
}

/// The headings above a passage, outermost first. A document title is left out if another heading follows.
fn heading_path(headings: &[(usize, String)]) -> Option<String> {
    let shown = if headings.len() > 1 && headings[0].0 == 1 {
        &headings[1..]
    } else {
        headings
    };
    let path: Vec<&str> = shown.iter().map(|(_, text)| text.as_str()).collect();
    (!path.is_empty()).then(|| path.join(" > "))
}

/// The level of a heading by the number of `#` before it; without any, the level below the title.
fn heading_level(before: &str) -> usize {
    let line = before.rsplit('\n').next().unwrap_or("").trim();
    if !line.is_empty() && line.chars().all(|c| c == '#') {
        line.len()
    } else {
        2
    }
}

/// The parts of a block, without white space at their ends.
pub(super) fn cut(text: &str, kind: BlockKind) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    if text.len() <= SOFT_LIMIT {
        pieces.push(0..text.len());
        return pieces;
    }
    let ends: Vec<usize> = if kind == BlockKind::Code {
        text.match_indices('\n').map(|(at, _)| at + 1).collect()
    } else {
        sentence_ranges(text, kind).into_iter().map(|it| it.end).collect()
    };
    let mut start = 0;
    let mut end = 0;
    for unit_end in ends.into_iter().chain([text.len()]) {
        if unit_end - start > SOFT_LIMIT && end > start {
            push_hard(text, start..end, &mut pieces);
            start = end;
        }
        end = unit_end;
    }
    push_hard(text, start..end, &mut pieces);
    pieces
}

/// Adds a range, cut at white space if it exceeds the hard limit.
fn push_hard(text: &str, range: Range<usize>, pieces: &mut Vec<Range<usize>>) {
    let mut start = range.start;
    while range.end - start > HARD_LIMIT {
        let window = &text[start..text.floor_char_boundary(start + HARD_LIMIT)];
        // Without white space in the second half of the window, it is cut between two characters.
        let blank = window
            .rfind(char::is_whitespace)
            .filter(|at| *at > HARD_LIMIT / 2);
        let end = start + blank.unwrap_or(window.len());
        push_trimmed(text, start..end, pieces);
        start = end;
    }
    push_trimmed(text, start..range.end, pieces);
}

fn push_trimmed(text: &str, range: Range<usize>, pieces: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let trimmed = piece.trim();
    if !trimmed.is_empty() {
        let start = range.start + (piece.len() - piece.trim_start().len());
        pieces.push(start..start + trimmed.len());
    }
}
