//! How many tokens a text has, without asking anybody.
//!
//! [`TokenCounter`] answers twice: `expected`, for plans and screens, and `safe`, an upper bound for
//! reservations and hard limits. [`WeightedEstimator`] needs nothing but the text; [`Calibrated`] corrects
//! another counter by what backends report. What a backend reports always wins over all of them.
//!
//! Files: `counter` (the contract), `estimator` (the weights applied), `features` (what a text is made of),
//! `weights` (the figures), `calibrated`.

mod calibrated;
mod counter;
mod estimator;
mod features;
#[cfg(test)]
mod tests;
mod weights;

pub use calibrated::Calibrated;
pub use counter::{FRAMING_TOKENS, TokenCounter};
pub use estimator::WeightedEstimator;
