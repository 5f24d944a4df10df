//! Estimates the number of tokens of a text locally.
//!
//! [`TokenCount`] is the port, and [`CautiousCount`] counts from the form of the words (`letters`, `signs`);
//! `byte_bound` is never too low and is used for reservations. A count reported by a backend takes precedence over
//! both.

mod count;
mod letters;
mod signs;
#[cfg(test)]
mod tests;

pub use count::{CautiousCount, TokenCount};
pub(crate) use count::{FRAMING_TOKENS, byte_bound};
