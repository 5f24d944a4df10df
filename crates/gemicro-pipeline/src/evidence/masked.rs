//! Finds checks whose exit status can get lost, before they run: `pytest || true`, `cargo test | tee log`.
//!
//! # Theory of operation
//!
//! The guard's shell parser reads the command, and `walk` visits every statement. Each statement has a
//! [place](statement_place::StatementPlace), which says what happens to its exit status. There is one rule: the
//! status of every program must reach the exit status of the whole command. `command` judges simple commands: a few
//! check nothing (`echo`, `mkdir`) and may fail unnoticed; every other program counts as a check. `failing_command`
//! recognises statements that always fail, so that a failure survives `|| exit 1` or a branch of `if`. `saved_status`
//! recognises a status that is kept in a variable until the end.
//!
//! Anything that cannot be parsed with certainty counts as masked. Options and variables of programs are not
//! examined, nor are command substitutions. Nothing here runs a command or reads its output.

mod command;
mod failing_command;
mod saved_status;
mod statement_place;
mod walk;

use gemicro_event::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why the exit status of a check proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{reason}")]
#[schemars(rename = "Masked")]
pub struct MaskedFailure {
    /// The part of the command that loses the status, shortened.
    pub piece: String,
    /// Explanation for the user.
    pub reason: String,
}

/// Returns where the exit status of a check command can get lost, or `None` if it cannot.
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
            "`{}` cannot be parsed reliably: use simpler shell syntax",
            short(piece)
        );
        Self::new(piece, reason)
    }
}

/// Shortens a part of the command to one line.
fn short(piece: &str) -> String {
    text::shortened(&text::one_line(piece), 79)
}

#[cfg(test)]
mod tests;
