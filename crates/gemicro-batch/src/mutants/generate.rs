//! All mutants of some lines, in the order in which they should be tried.

use std::collections::BTreeMap;

use super::change::{Change, Mutant};
use super::code::Code;
use super::conditions::condition;
use super::operators::operator;
use super::statements::statement;
use super::syntax::Syntax;
use super::values::value;

/// At most so many are given.
const MAX_MUTANTS: usize = 1_000;

/// The mutants of a source whose change lies within `lines`, pairs of a first and a last line counted from 1.
///
/// The first mutants belong to different lines, one for each line, the most telling kinds first; then comes the second
/// of each line, and so on, at most 1,000. Whoever takes the first few has spread them. The same source and lines always give the
/// same mutants; a source that no compiler takes gives some, or none.
#[must_use]
pub fn mutants(syntax: Syntax, source: &str, lines: &[(u32, u32)]) -> Vec<Mutant> {
    let code = Code::new(syntax, source);
    let wanted = Wanted::new(lines);
    let mut of_lines: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
    for idx in 0..code.tokens.len() {
        let is_wanted = code.is_carried_out(idx) && wanted.has(code.line_of(code.tokens[idx].start));
        if !is_wanted {
            continue;
        }
        let found = [
            operator(&code, idx),
            condition(&code, idx),
            value(&code, idx),
            statement(&code, idx),
        ];
        for change in found.into_iter().flatten() {
            let (first, last) = (
                code.line_of(change.place.start),
                code.line_of(change.place.end - 1),
            );
            if (first..=last).all(|line| wanted.has(line)) {
                of_lines.entry(first).or_default().push(change);
            }
        }
    }
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
        .map(|(_, line, change)| mutant(&code, line, change))
        .collect()
}

fn mutant(code: &Code<'_>, line: usize, change: Change) -> Mutant {
    let column = code.source[code.line_start(line)..change.place.start]
        .chars()
        .count();
    let from_one = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    Mutant {
        line: from_one(line),
        column: from_one(column),
        what: change.what,
        place: change.place,
        replacement: change.replacement,
    }
}

/// Lines, sorted and without overlaps.
struct Wanted(Vec<(u32, u32)>);

impl Wanted {
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

    /// Whether a line, counted from 0, is among them.
    fn has(&self, line: usize) -> bool {
        let Ok(number) = u32::try_from(line + 1) else {
            return false;
        };
        let after = self.0.partition_point(|(first, _)| *first <= number);
        after > 0 && self.0[after - 1].1 >= number
    }
}
