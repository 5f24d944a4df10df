//! Generates the mutants of some lines, in the order in which they should be tried.

use std::collections::BTreeMap;

use super::change::{Mutant, MutantChange};
use super::rules::{change, is_declaration};
use super::syntax::Syntax;
use super::tree::{parse, preorder};

/// Maximum number of mutants.
const MAX_MUTANTS: usize = 1_000;

/// The mutants of a source whose change is within `lines`, pairs of a first and a last line counted from 1.
///
/// First comes one mutant for each line, the most revealing kinds first; then the second of each line, and so on, at
/// most 1,000. So the first few are spread over the lines. The same source and lines always give the same mutants; a
/// source that does not compile gives some or none.
#[must_use]
pub fn mutants(syntax: Syntax, source: &str, lines: &[(u32, u32)]) -> Vec<Mutant> {
    let Some(tree) = parse(syntax, source) else {
        return Vec::new();
    };
    let wanted = WantedLines::new(lines);
    let line_starts: Vec<usize> = std::iter::once(0)
        .chain(source.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let line_of = |at: usize| line_starts.partition_point(|start| *start <= at) - 1;
    let mut of_lines: BTreeMap<usize, Vec<MutantChange>> = BTreeMap::new();
    // Only code in function bodies runs.
    let mut body_end = 0;
    preorder(tree.root_node(), |node, field| {
        if is_declaration(node, field) {
            return false;
        }
        if ["block", "compound_statement"].contains(&node.kind()) {
            body_end = body_end.max(node.end_byte());
        }
        if node.start_byte() < body_end
            && let Some(change) = change(syntax, source, node)
        {
            let first = line_of(change.place.start);
            if (first..=line_of(change.place.end - 1)).all(|line| wanted.has(line)) {
                of_lines.entry(first).or_default().push(change);
            }
        }
        true
    });
    let mut ordered = Vec::new();
    for (line, mut changes) in of_lines {
        changes.sort_by_key(|change| (change.kind, change.place.start));
        ordered.extend(
            changes
                .into_iter()
                .enumerate()
                .map(|(round, change)| (round, line, change)),
        );
    }
    ordered.sort_by_key(|(round, line, change)| (*round, change.kind, *line));
    ordered
        .into_iter()
        .take(MAX_MUTANTS)
        .map(|(_, line, change)| mutant(&source[line_starts[line]..], line_starts[line], line, change))
        .collect()
}

fn mutant(from_line: &str, line_start: usize, line: usize, change: MutantChange) -> Mutant {
    let column = from_line[..change.place.start - line_start].chars().count();
    let from_one = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    Mutant {
        line: from_one(line),
        column: from_one(column),
        what: change.what,
        place: change.place,
        replacement: change.replacement,
    }
}

/// Line ranges, sorted and without overlaps.
struct WantedLines(Vec<(u32, u32)>);

impl WantedLines {
    fn new(lines: &[(u32, u32)]) -> Self {
        let mut sorted = lines.to_vec();
        sorted.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (first, last) in sorted {
            match joined.last_mut() {
                Some((_, end)) if first <= *end => *end = (*end).max(last),
                Some(_) | None => joined.push((first, last)),
            }
        }
        Self(joined)
    }

    /// Whether a line, counted from 0, is in one of them.
    fn has(&self, line: usize) -> bool {
        let Ok(number) = u32::try_from(line + 1) else {
            return false;
        };
        let after = self.0.partition_point(|(first, _)| *first <= number);
        after > 0 && self.0[after - 1].1 >= number
    }
}
