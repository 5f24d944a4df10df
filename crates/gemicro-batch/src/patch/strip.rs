//! Rust text without the items that only tests are built with.
//!
//! Which items these are is decided in `test_items`; here they are cut out, so that what remains can be compared.

use std::ops::Range;

use super::test_items::{Tests, tests_of};
use crate::mutants::{Syntax, Token, TokenKind, tokens};

/// The text without items under `#[cfg(test)]`, or another condition that only holds for tests.
///
/// Comments right above such an item go with it. Empty lines go everywhere but in literals and comments, so that a
/// text with tests put in and one without them come out equal. A file under `#![cfg(test)]` comes out empty.
#[must_use]
pub fn without_tests(text: &str) -> String {
    let all = tokens(Syntax::Rust, text);
    match tests_of(text, &all) {
        Tests::WholeFile => String::new(),
        Tests::Places(places) => put_together(text, &all, &with_comments(text, &all, places)),
    }
}

/// The lines of such items, the first and the last of each, from 1.
#[must_use]
pub fn test_lines(text: &str) -> Vec<(u32, u32)> {
    let line_of = |place: usize| {
        let before = text.as_bytes()[..place].iter().filter(|byte| **byte == b'\n');
        u32::try_from(before.count() + 1).unwrap_or(u32::MAX)
    };
    match tests_of(text, &tokens(Syntax::Rust, text)) {
        Tests::WholeFile => vec![(1, u32::MAX)],
        Tests::Places(places) => {
            let lines = places
                .iter()
                .map(|place| (line_of(place.start), line_of(place.end)));
            lines.collect()
        }
    }
}

/// The places with the comments right above them, as far as each begins its line.
fn with_comments(text: &str, all: &[Token], places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places
        .into_iter()
        .map(|place| {
            let n_before = all.partition_point(|token| token.start < place.start);
            let mut start = place.start;
            for comment in all[..n_before].iter().rev() {
                let is_above = comment.kind == TokenKind::Comment
                    && begins_line(text, comment.start)
                    && text[comment.end..start].matches('\n').count() <= 1
                    // `//!` speaks about what it stands in.
                    && !["//!", "/*!"].iter().any(|inner| comment.text(text).starts_with(inner));
                if !is_above {
                    break;
                }
                start = comment.start;
            }
            start..place.end
        })
        .collect()
}

fn begins_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// The tokens outside the places, with what stands between them, empty lines left out.
fn put_together(text: &str, all: &[Token], places: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut places = places.iter().peekable();
    let mut last_end = None;
    let mut is_joint = false;
    for token in all {
        while places.next_if(|place| place.end <= token.start).is_some() {}
        if places.peek().is_some_and(|place| place.start <= token.start) {
            is_joint = true;
            continue;
        }
        let gap_start = last_end.unwrap_or(0);
        let gap = &text[gap_start..token.start];
        if last_end.is_some() {
            match gap.rfind('\n') {
                None if !is_joint => kept.push_str(gap),
                line_break => {
                    kept.push('\n');
                    let indent = line_break.map_or("", |at| &gap[at + 1..]);
                    kept.push_str(if indent.trim().is_empty() { indent } else { "" });
                }
            }
        }
        kept.push_str(token.text(text));
        last_end = Some(token.end);
        is_joint = false;
    }
    // A literal that is not closed has taken the line break with it.
    if last_end.is_some() && !kept.ends_with('\n') {
        kept.push('\n');
    }
    kept
}
