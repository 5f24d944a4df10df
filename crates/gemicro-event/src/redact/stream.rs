//! Redaction of text that arrives in pieces.

use super::cut::{cut_plain, escape_start};
use super::redactor::{MASK, Redactor};
use super::scan::{self, FollowingText};
use super::shapes;

/// Redacts text piece by piece: what comes out is never part of a secret, wherever the pieces are cut.
///
/// It holds back only what may still become a secret, at most [`RedactStream::HELD`] bytes or twice the
/// longest known form. It sees plain text; JSON lines are better redacted whole, by [`Redactor::redact`].
#[derive(Debug)]
pub struct RedactStream {
    redactor: Redactor,
    /// The tail of what was given out, as context, then what is held back.
    buffer: String,
    /// Where the held part starts.
    held_from: usize,
    state: RedactState,
}

/// What is done with the next letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RedactState {
    Reading,
    /// A token that was too long to hold was masked; its letters are dropped until it ends.
    DroppingToken,
    /// The same for a private key, whose lines have blanks between.
    DroppingKey,
}

impl RedactStream {
    /// How many bytes it holds back at most, unless a known secret is longer.
    pub const HELD: usize = 16 * 1024;
    /// How much of the text before is looked at.
    const CONTEXT: usize = 64;

    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            buffer: String::new(),
            held_from: 0,
            state: RedactState::Reading,
        }
    }

    /// Takes a piece and gives out what is certain by now.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        let piece = match self.state {
            RedactState::Reading => piece,
            RedactState::DroppingToken => piece.trim_start_matches(shapes::may_continue),
            RedactState::DroppingKey => piece.trim_start_matches(|letter: char| {
                shapes::may_continue(letter) || letter.is_ascii_whitespace()
            }),
        };
        if piece.is_empty() {
            return String::new();
        }
        self.state = RedactState::Reading;
        self.buffer.push_str(piece);
        let mut found = scan::scan(
            self.redactor.forms(),
            &self.buffer,
            self.held_from,
            FollowingText::More,
        );
        let open_from = found.open_from.unwrap_or(self.buffer.len());
        let limit = Self::HELD.max(2 * self.redactor.forms().longest());
        let certain_to = self.outside_of_escapes(found.settle(open_from));
        // Settling again: moving out of an escape may have moved into a span.
        let certain_to = self.outside_of_escapes(found.settle(certain_to));
        if self.buffer.len() - certain_to <= limit {
            return self.give_out(&found.spans, certain_to);
        }
        let given = self.give_out(&found.spans, certain_to);
        let is_key = self.buffer[self.held_from..].starts_with("-----BEGIN");
        self.state = if is_key {
            RedactState::DroppingKey
        } else {
            RedactState::DroppingToken
        };
        self.buffer.clear();
        self.buffer.push_str(MASK);
        self.held_from = self.buffer.len();
        given + MASK
    }

    /// Gives out what was held back. Nothing may follow.
    #[must_use]
    pub fn finish(mut self) -> String {
        let found = scan::scan(
            self.redactor.forms(),
            &self.buffer,
            self.held_from,
            FollowingText::Nothing,
        );
        let end = self.buffer.len();
        self.give_out(&found.spans, end)
    }

    fn outside_of_escapes(&self, at: usize) -> usize {
        escape_start(self.buffer.as_bytes(), at).max(self.held_from)
    }

    /// Redacts the held text up to `to` and keeps its tail as context.
    fn give_out(&mut self, spans: &[super::cut::Span], to: usize) -> String {
        let from = self.held_from;
        let shifted: Vec<_> = spans
            .iter()
            .map(|span| super::cut::Span {
                start: span.start - from,
                end: span.end - from,
            })
            .collect();
        let given = cut_plain(&self.buffer[from..to], &shifted);
        let held = self.buffer.split_off(to);
        self.buffer.truncate(from);
        self.buffer.push_str(&given);
        let context_from = self.buffer.len().saturating_sub(Self::CONTEXT);
        self.buffer.drain(..self.buffer.ceil_char_boundary(context_from));
        self.held_from = self.buffer.len();
        self.buffer.push_str(&held);
        given
    }
}

#[cfg(test)]
impl RedactStream {
    pub(super) fn buffered_bytes(&self) -> usize {
        self.buffer.len()
    }
}
