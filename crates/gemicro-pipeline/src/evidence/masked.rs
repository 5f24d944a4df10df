//! Says before a check runs whether its exit status can get lost: `pytest || true`, `cargo test | tee log`.
//!
//! # Theory of operation
//!
//! The command is parsed as a shell program (`syntax`) and walked statement by statement (`walk`). Every statement has a
//! [place](place::Place): what becomes of its exit status there. A program that checks something, in a place where its
//! status is lost, makes the whole command a masked one. What a simple command is (a program that checks, a preparation, a
//! source of text, an end of the shell) is said by `program`, with the lists in `table`; what variables make of it by
//! `variable`; which right side of `||` always
//! fails is said by `ending`.
//!
//! The rule is one: the status of every program must reach the exit status of the whole. Preparations (`cd`, `mkdir`,
//! `export`, …) may fail unseen, and so may programs that only supply text to others (`$(git rev-parse HEAD)`).
//! What cannot be read for certain counts as masked. Nothing here runs a command or looks at its output.

mod branch;
mod command;
mod ending;
mod list;
mod options;
mod place;
mod program;
mod syntax;
mod table;
mod variable;
mod walk;
mod word;
mod wrapper;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why the exit status of a check says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{reason}")]
pub struct Masked {
    /// The part of the command that hides the status, shortened.
    pub piece: String,
    /// What it does, in words.
    pub reason: String,
}

/// Reads a check command and says where its exit status can get lost; nothing when it cannot.
pub fn masked(command: &str) -> Option<Masked> {
    walk::whole(command).err()
}

impl Masked {
    fn new(piece: &str, reason: String) -> Self {
        Self {
            piece: short(piece),
            reason,
        }
    }

    fn unreadable(piece: &str) -> Self {
        let piece = short(piece);
        let reason = format!("`{piece}` cannot be read for certain: use simpler shell syntax");
        Self { piece, reason }
    }
}

/// A piece of the command as one short line.
fn short(piece: &str) -> String {
    const CHARS: usize = 80;
    let line = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= CHARS {
        return line;
    }
    let mut cut: String = line.chars().take(CHARS - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests;
