//! One change to a source.

use std::ops::Range;

use gemicro_event::text;

/// A source with one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The first line of the change, from 1.
    pub line: u32,
    /// The column where it begins, in characters from 1.
    pub column: u32,
    /// Description of the change.
    pub what: String,
    /// The byte range that is replaced.
    pub(super) place: Range<usize>,
    /// The replacement; it has the same number of lines.
    pub(super) replacement: String,
}

impl Mutant {
    /// Applies the change to the source it was made from. In any other source the text at that position is replaced; if
    /// there is no such position, the source is returned unchanged.
    #[must_use]
    pub fn apply(&self, source: &str) -> String {
        match (source.get(..self.place.start), source.get(self.place.end..)) {
            (Some(before), Some(after)) => [before, &self.replacement, after].concat(),
            (Some(_) | None, _) => source.to_owned(),
        }
    }
}

/// A candidate for a mutant.
pub(super) struct MutantChange {
    pub(super) kind: ChangeKind,
    pub(super) place: Range<usize>,
    pub(super) replacement: String,
    pub(super) what: String,
}

/// Kinds of change, the most revealing first: mutants are sorted by it.
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
    /// Replaces the text at a position.
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

    /// Removes a statement; `replacement` keeps the rest well-formed.
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

/// Shortens code to one line for display.
fn one_line(code: &str) -> String {
    text::shortened(&text::one_line(code), 60)
}
