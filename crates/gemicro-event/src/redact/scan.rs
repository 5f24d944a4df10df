//! Finds secrets in a text.

use super::cut::Span;
use super::forms::Forms;
use super::redactor::join_spans;
use super::shapes;

/// Whether more text may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowingText {
    /// The text is complete.
    Nothing,
    /// Another chunk may follow.
    More,
}

/// Whether a secret starts at one position of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretProbe {
    No,
    /// The text ends before this can be decided; only with [`FollowingText::More`].
    Open,
    /// A secret; these bytes must be masked.
    Full(Span),
}

impl SecretProbe {
    /// Combines two results: `Open` wins, and two spans are merged.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::No, known) | (known, Self::No) => known,
            (Self::Full(a), Self::Full(b)) => Self::Full(Span {
                start: a.start.min(b.start),
                end: a.end.max(b.end),
            }),
        }
    }
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(super) struct SecretSpan {
    /// Spans to mask, in order and without overlaps.
    pub(super) spans: Vec<Span>,
    /// The position where each span was recognized; for a header that is its name, before the span.
    origins: Vec<usize>,
    /// Position from which the result is undecided; only with [`FollowingText::More`].
    pub(super) open_from: Option<usize>,
}

/// Scans `text` from byte `from`; the text before is only context.
///
/// Every position is checked, so overlapping secrets are masked together and no rest of one remains.
pub(super) fn scan(forms: &Forms, text: &str, from: usize, rest: FollowingText) -> SecretSpan {
    let bytes = text.as_bytes();
    let mut found = SecretSpan::default();
    for at in from..bytes.len() {
        if !forms.may_start(bytes, at) {
            continue;
        }
        let covered = found.spans.last().map(|last| last.end).filter(|&end| at <= end);
        match forms
            .probe(bytes, at, rest)
            .or(shapes::probe(bytes, at, covered, rest))
        {
            SecretProbe::No => {}
            SecretProbe::Full(span) => {
                join_spans(&mut found.spans, span);
                if found.origins.len() < found.spans.len() {
                    found.origins.push(at);
                }
            }
            SecretProbe::Open => {
                found.open_from = Some(at);
                return found;
            }
        }
    }
    found
}

impl SecretSpan {
    /// Drops the spans that reach `to`, because later text may extend them, and returns the position up to which
    /// everything is decided.
    pub(super) fn settle(&mut self, mut to: usize) -> usize {
        while let Some(last) = self.spans.last().filter(|last| last.end >= to) {
            to = to.min(last.start);
            self.spans.pop();
            to = to.min(self.origins.pop().unwrap_or(to));
        }
        to
    }
}
