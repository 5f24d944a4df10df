//! The estimator that needs nothing but the text.

use super::TokenCounter;
use super::features::features;
use super::weights::WEIGHTS;

/// Adds up typical costs of words, digits, marks and letters: one pass, no tables, no allocation.
///
/// Made for the Gemma 3 vocabulary and close to its relatives; see `weights` for how close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WeightedEstimator;

impl TokenCounter for WeightedEstimator {
    fn expected(&self, text: &str) -> u64 {
        let mut tokens = 0.0;
        features(text, |feature, amount| tokens += WEIGHTS[feature] * amount);
        rounded(tokens)
            .max(u64::from(!text.is_empty()))
            .min(text.len() as u64)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the sum is finite and not negative"
)]
fn rounded(tokens: f64) -> u64 {
    tokens.round() as u64
}
