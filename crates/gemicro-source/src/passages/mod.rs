//! From blocks to passages, the units of search.

/// Cutting blocks.
mod cut;
/// Where a text may be cut.
mod sentence;

#[cfg(test)]
mod tests;

pub use cut::{HARD_LIMIT, SOFT_LIMIT, cut_passages};
