//! What the gateway knows of each API. One file per wire, one per dialect where a wire has several.
//!
//! [`Rules`] is a wire: its paths, where the key goes, how an error looks. [`Dialect`] is one way to ask for
//! text on it: what a request asks for, and how the answer reports what it used.

mod anthropic;
mod asked;
mod chat;
mod gemini;
mod interactions;
mod openai;
mod responses;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::Wire;

pub(super) use asked::{Asked, ask};
pub(super) use rules::{Dialect, Reported, Route, Rules, Seen, Task};
