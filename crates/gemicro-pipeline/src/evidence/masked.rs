//! Says before a check runs whether its exit status can get lost: `pytest || true`, `cargo test | tee log`.
//!
//! # Theory of operation
//!
//! The command is parsed as a shell program (`syntax`) and walked statement by statement (`walk`). Every statement has
//! a [place](place::Place): what becomes of its exit status there. A program that checks something, in a place where its
//! status is lost, makes the whole command a masked one. What a simple command is (a program that checks, a preparation,
//! a source of text, an end of the shell) is said by `program`, after `wrapper` took off what only starts it: `shell`
//! reads texts that are handed to shells, `code` those for interpreters, `options` says what options make of a program
//! (`option` brings them into one spelling), `variable` what variables do. The lists are in the files named `table`.
//! Which right side of `||` always fails is said by `ending`; `status` follows a status that is kept in a variable.
//!
//! The rule is one: the status of every program must reach the exit status of the whole. Preparations (`mkdir`,
//! `export`, …) may fail unseen, and so may programs that only supply text to others (`$(git rev-parse HEAD)`). A step
//! that others need (`cd app`, `npm ci`) may not, although it checks nothing.
//! What cannot be read for certain counts as masked. Nothing here runs a command or looks at its output.

mod branch;
mod code;
mod command;
mod ending;
mod list;
mod option;
mod option_table;
mod options;
mod place;
mod program;
mod shell;
mod status;
mod syntax;
mod table;
mod variable;
mod walk;
mod word;
mod wrapper;
mod wrapper_table;

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
