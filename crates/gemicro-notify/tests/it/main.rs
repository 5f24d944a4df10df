//! Deliveries from a real store to commands; webhooks are tested with the whole program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod command_hook;
mod deliveries;
