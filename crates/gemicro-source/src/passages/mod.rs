//! Cuts blocks into passages, the units of search.

mod cut;

#[cfg(test)]
mod tests;

pub use cut::{HARD_LIMIT, SOFT_LIMIT, cut_passages};
