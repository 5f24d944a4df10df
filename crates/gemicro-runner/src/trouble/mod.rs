//! Interprets error messages, independent of the CLI.
//!
//! [`classify`] returns the kind, [`wait_ms`] how long to wait; [`is_terminal_error`] recognises complaints about a
//! missing terminal.

mod clock;
mod kind;
mod terminal;
mod wait;

pub(crate) use kind::{Clue, classify};
pub(crate) use terminal::is_terminal_error;
pub(crate) use wait::wait_ms;

#[cfg(test)]
mod tests;
