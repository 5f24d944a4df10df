//! Says before a check runs whether its exit status can get lost: `pytest || true`, `cargo test | tee log`.
//!
//! # Theory of operation
//!
//! The command is parsed by the guard's shell reader and walked statement by statement (`walk`). Every statement has a
//! [place](statement_place::Place): what becomes of its exit status there. The rule is one: the status of every program must reach
//! the exit status of the whole. `command` judges simple commands: a few check nothing (`echo`, `mkdir`) and may fail
//! unseen; every other program is taken to check something. `failing_command` knows the statements that
//! always fail, which keep a failure on the right side of `||` and in a branch of `if`; `saved_status` a status that is kept in
//! a variable until the end.
//!
//! What cannot be read for certain counts as masked. What programs do with their own options and variables is not looked
//! at, nor are command substitutions. Nothing here runs a command or looks at its output.

mod command;
mod failing_command;
mod saved_status;
mod statement_place;
mod walk;

use gemicro_event::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why the exit status of a check says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{reason}")]
#[schemars(rename = "Masked")]
pub struct MaskedFailure {
    /// The part of the command that hides the status, shortened.
    pub piece: String,
    /// What it does, in words.
    pub reason: String,
}

/// Reads a check command and says where its exit status can get lost; nothing when it cannot.
pub fn find_masked_exit(command: &str) -> Option<MaskedFailure> {
    walk::whole(command).err()
}

impl MaskedFailure {
    fn new(piece: &str, reason: String) -> Self {
        Self {
            piece: short(piece),
            reason,
        }
    }

    fn unreadable(piece: &str) -> Self {
        let reason = format!(
            "`{}` cannot be read for certain: use simpler shell syntax",
            short(piece)
        );
        Self::new(piece, reason)
    }
}

/// A piece of the command as one short line.
fn short(piece: &str) -> String {
    text::shortened(&text::one_line(piece), 79)
}

#[cfg(test)]
mod tests;
