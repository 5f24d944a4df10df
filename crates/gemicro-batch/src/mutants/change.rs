//! One change of a source.

use std::ops::Range;

use gemicro_event::text;

/// A source with one place changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The line of the change, from 1; where it goes over several lines, the first.
    pub line: u32,
    /// The character in the line that it begins with, from 1.
    pub column: u32,
    /// What was changed, to be shown.
    pub what: String,
    /// The bytes that are replaced.
    pub(super) place: Range<usize>,
    /// What stands there instead; it has as many lines.
    pub(super) replacement: String,
}

impl Mutant {
    /// The source it was made from, with the change. Another source is given back with whatever stands at that
    /// place replaced, or as it is when it has no such place.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        match (source.get(..self.place.start), source.get(self.place.end..)) {
            (Some(before), Some(after)) => [before, &self.replacement, after].concat(),
            (Some(_) | None, _) => source.to_owned(),
        }
    }
}

/// A change before it is known whether it is wanted.
pub(super) struct MutantChange {
    pub(super) kind: ChangeKind,
    pub(super) place: Range<usize>,
    pub(super) replacement: String,
    pub(super) what: String,
}

/// Kinds of change, the most telling first: the order is that of the mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChangeKind {
    Comparison,
    Logic,
    Condition,
    Value,
    Arithmetic,
    Text,
    Call,
    Return,
}

impl MutantChange {
    /// The text at a place becomes another.
    pub(super) fn becomes(kind: ChangeKind, source: &str, place: Range<usize>, replacement: String) -> Self {
        let what = format!(
            "`{}` became `{}`",
            one_line(&source[place.clone()]),
            one_line(&replacement)
        );
        Self {
            kind,
            place,
            replacement,
            what,
        }
    }

    /// A statement is left out; `replacement` keeps the rest well-formed.
    pub(super) fn without_statement(
        kind: ChangeKind,
        source: &str,
        place: Range<usize>,
        replacement: &str,
    ) -> Self {
        let what = format!("`{}` was removed", one_line(&source[place.clone()]));
        Self {
            kind,
            place,
            replacement: replacement.to_owned(),
            what,
        }
    }
}

/// A piece of code on one line, and not too long.
fn one_line(code: &str) -> String {
    text::shortened(&text::one_line(code), 60)
}
