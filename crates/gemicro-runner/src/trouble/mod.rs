//! What the words of an error mean, whichever CLI passes them on.
//!
//! [`classify`] finds the kind, [`wait_ms`] how long to wait, [`is_terminal_error`] a complaint about a missing
//! terminal that poses as an answer.

mod clock;
mod kind;
mod terminal;
mod wait;

pub(crate) use kind::{Clue, classify};
pub(crate) use terminal::is_terminal_error;
pub(crate) use wait::wait_ms;

#[cfg(test)]
mod tests;
