//! How many tokens a text has, without asking anybody.
//!
//! [`TokenCount`] is the port and [`CautiousCount`] the count of a text from the form of its words (`letters`, `signs`);
//! `byte_bound` is never too low, and is what reservations use. What a backend reports always wins over both.

mod count;
mod letters;
mod signs;
#[cfg(test)]
mod tests;

pub use count::{CautiousCount, TokenCount};
pub(crate) use count::{FRAMING_TOKENS, byte_bound};
