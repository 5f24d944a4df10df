//! Removes test-only items from Rust code.
//!
//! `test_items` decides which items these are; this module cuts them out, so that the rest can be compared.

use std::ops::Range;

use tree_sitter::Tree;

use super::test_items::{Tests, tests_of};
use crate::mutants::{Syntax, parse, preorder};

/// Removes items under `#[cfg(test)]`, or another condition that only holds for tests.
///
/// Comments directly above such an item are removed too. Empty lines are removed except in literals and comments, so
/// that texts with and without tests become equal. A file under `#![cfg(test)]` becomes empty; one that cannot be
/// parsed completely is returned unchanged.
#[must_use]
pub fn without_tests(text: &str) -> String {
    let Some((tree, tokens)) = read(text) else {
        return text.to_owned();
    };
    match tests_of(text, tree.root_node()) {
        Tests::WholeFile => String::new(),
        Tests::Places(places) => put_together(text, &tokens, &with_comments(text, &tokens, places)),
    }
}

/// The first and last line of each such item, from 1.
#[must_use]
pub fn test_lines(text: &str) -> Vec<(u32, u32)> {
    let line_of = |place: usize| {
        let before = text.as_bytes()[..place].iter().filter(|byte| **byte == b'\n');
        u32::try_from(before.count() + 1).unwrap_or(u32::MAX)
    };
    match read(text).map(|(tree, _)| tests_of(text, tree.root_node())) {
        None => Vec::new(),
        Some(Tests::WholeFile) => vec![(1, u32::MAX)],
        Some(Tests::Places(places)) => {
            let lines = places
                .iter()
                .map(|place| (line_of(place.start), line_of(place.end)));
            lines.collect()
        }
    }
}

/// Parses a text into a syntax tree and tokens, including comments; `None` if a part cannot be parsed.
fn read(text: &str) -> Option<(Tree, Vec<Range<usize>>)> {
    let tree = parse(Syntax::Rust, text)?;
    let mut tokens = Vec::new();
    preorder(tree.root_node(), |node, _| {
        let is_whole = node.kind().ends_with("_comment") || node.kind().ends_with("_literal");
        let is_token = is_whole || node.child_count() == 0;
        if is_token {
            // The node of a line doc comment includes the line break.
            let written = text[node.byte_range()].trim_end_matches(['\n', '\r']);
            let end = node.start_byte() + written.len();
            tokens.extend((!written.trim().is_empty()).then_some(node.start_byte()..end));
        }
        !is_token
    });
    let starts = tokens.iter().map(|token| token.start).chain([text.len()]);
    let ends = std::iter::once(0).chain(tokens.iter().map(|token| token.end));
    let has_gap = ends
        .zip(starts)
        .any(|(end, start)| !text.get(end..start).is_some_and(|gap| gap.trim().is_empty()));
    (!tree.root_node().has_error() && !has_gap).then_some((tree, tokens))
}

/// Extends the ranges to the comments directly above them that begin their line.
fn with_comments(text: &str, tokens: &[Range<usize>], places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places
        .into_iter()
        .map(|place| {
            let n_before = tokens.partition_point(|token| token.start < place.start);
            let mut start = place.start;
            for token in tokens[..n_before].iter().rev() {
                let written = &text[token.clone()];
                let is_comment = written.starts_with("//") || written.starts_with("/*");
                let before = text[..token.start].trim_end_matches([' ', '\t']);
                let is_above = is_comment
                    && (before.is_empty() || before.ends_with('\n'))
                    && text[token.end..start].matches('\n').count() <= 1
                    // `//!` documents the enclosing item.
                    && !["//!", "/*!"].iter().any(|inner| written.starts_with(inner));
                if !is_above {
                    break;
                }
                start = token.start;
            }
            start..place.end
        })
        .collect()
}

/// Joins the tokens outside the ranges, with their spacing but without empty lines.
fn put_together(text: &str, tokens: &[Range<usize>], places: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut places = places.iter().peekable();
    let mut last_end = None;
    let mut is_joint = false;
    for token in tokens {
        while places.next_if(|place| place.end <= token.start).is_some() {}
        if places.peek().is_some_and(|place| place.start <= token.start) {
            is_joint = true;
            continue;
        }
        if let Some(last_end) = last_end {
            let gap: &str = &text[last_end..token.start];
            match gap.rfind('\n') {
                None if !is_joint => kept.push_str(gap),
                line_break => {
                    kept.push('\n');
                    let indent = line_break.map_or("", |at| &gap[at + 1..]);
                    kept.push_str(if indent.trim().is_empty() { indent } else { "" });
                }
            }
        }
        kept.push_str(&text[token.clone()]);
        last_end = Some(token.end);
        is_joint = false;
    }
    if last_end.is_some() && !kept.ends_with('\n') {
        kept.push('\n');
    }
    kept
}
