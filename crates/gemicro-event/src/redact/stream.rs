//! Redacts text that arrives in chunks.

use super::cut::{cut_plain, escape_start};
use super::redactor::{MASK, Redactor};
use super::scan::{self, FollowingText};
use super::shapes;

/// Redacts text chunk by chunk: the output never contains part of a secret, wherever the chunks are split.
///
/// It holds back only text that may still become a secret, at most [`RedactStream::HELD`] bytes or twice the longest
/// known form. It treats its input as plain text; JSON lines are better redacted whole, with [`Redactor::redact`].
#[derive(Debug)]
pub struct RedactStream {
    redactor: Redactor,
    /// The end of the output so far, as context, followed by the held text.
    buffer: String,
    /// Start of the held text.
    held_from: usize,
    state: RedactState,
}

/// How the next characters are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RedactState {
    Reading,
    /// A token that was too long to hold was masked; its characters are dropped until it ends.
    DroppingToken,
    /// The same for a private key, whose lines are separated by white space.
    DroppingKey,
}

impl RedactStream {
    /// Maximum number of bytes held back, unless a known secret is longer.
    pub const HELD: usize = 16 * 1024;
    /// Number of bytes of earlier output kept as context.
    const CONTEXT: usize = 64;

    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            buffer: String::new(),
            held_from: 0,
            state: RedactState::Reading,
        }
    }

    /// Takes a chunk and returns the text that is decided by now.
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
        // Settle again: leaving an escape may have entered a span.
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

    /// Returns the held text, at the end of the input.
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
