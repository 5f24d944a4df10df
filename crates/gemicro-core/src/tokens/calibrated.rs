//! Correction of a counter by what backends report.

use super::TokenCounter;

/// Multiplies another counter's expectation by how far it was off lately. `safe` stays as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibrated<C> {
    counter: C,
    ratio: f64,
}

impl<C: TokenCounter> Calibrated<C> {
    /// How much one report counts against all before it.
    const STEP: f64 = 0.2;
    /// A counter that is off by more than this is broken, and so would be the correction.
    const RANGE: (f64, f64) = (0.5, 2.0);
    /// Shorter texts say more about the framing than about the counter.
    const MIN_TOKENS: u64 = 50;

    /// Starts without a correction.
    #[must_use]
    pub fn new(counter: C) -> Self {
        Self { counter, ratio: 1.0 }
    }

    /// Learns that a text this counter expected to have `expected` tokens (before correction) had `actual`.
    pub fn learn(&mut self, expected: u64, actual: u64) {
        if expected < Self::MIN_TOKENS || actual == 0 {
            return;
        }
        let seen = (as_f64(actual) / as_f64(expected)).clamp(Self::RANGE.0, Self::RANGE.1);
        self.ratio += Self::STEP * (seen - self.ratio);
    }

    /// Learns that this text had `actual` tokens.
    pub fn learn_from(&mut self, text: &str, actual: u64) {
        self.learn(self.counter.expected(text), actual);
    }

    /// The present correction; 1 is none.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }
}

impl<C: TokenCounter> TokenCounter for Calibrated<C> {
    fn expected(&self, text: &str) -> u64 {
        rounded(as_f64(self.counter.expected(text)) * self.ratio).min(self.counter.safe(text))
    }

    fn safe(&self, text: &str) -> u64 {
        self.counter.safe(text)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate needs no more than 53 bits"
)]
fn as_f64(tokens: u64) -> f64 {
    tokens as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product is finite and not negative"
)]
fn rounded(tokens: f64) -> u64 {
    tokens.round() as u64
}
