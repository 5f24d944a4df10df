//! Finds where secrets stand in a text.

use super::cut::Span;
use super::forms::Forms;
use super::redactor::join_spans;
use super::shapes;

/// Whether more text may follow the one at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowingText {
    /// This is all of it.
    Nothing,
    /// A later piece may continue it.
    More,
}

/// What one place of a text says about a secret starting there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretProbe {
    No,
    /// The text ends before this can be told; only with [`FollowingText::More`].
    Open,
    /// These bytes have to go.
    Full(Span),
}

impl SecretProbe {
    /// The wider answer of two: one that is still open wins, then the one that reaches further.
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

/// What a scan found.
#[derive(Debug, Default)]
pub(super) struct SecretSpan {
    /// Spans to take out, in order, apart from each other.
    pub(super) spans: Vec<Span>,
    /// Where each span was recognised: a header's value goes, but its name has to be seen.
    origins: Vec<usize>,
    /// From here on nothing is certain yet; only with [`FollowingText::More`].
    pub(super) open_from: Option<usize>,
}

/// Scans `text` from byte `from`; what stands before is context only.
///
/// Every place is probed, so overlapping secrets are taken out together and no tail of one survives.
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
    /// Forgets the spans that reach `to`, for text that follows may change them, and says up to where
    /// everything is certain then.
    pub(super) fn settle(&mut self, mut to: usize) -> usize {
        while let Some(last) = self.spans.last().filter(|last| last.end >= to) {
            to = to.min(last.start);
            self.spans.pop();
            to = to.min(self.origins.pop().unwrap_or(to));
        }
        to
    }
}
