//! The context of one judgement, with limits on its depth and its number of commands.

use std::cell::Cell;

use super::state::ShellState;
use super::{syntax, walk};
use crate::policy::decision::Denial;
use crate::policy::paths::Roots;
use crate::policy::rule::PolicyRule;

/// Maximum nesting of shells in shells and functions in functions.
const DEPTH: usize = 24;
/// Maximum number of simple commands in one judgement; those in a function count at each call.
const COMMANDS: usize = 20_000;

pub(in crate::policy) struct PolicyRun<'a> {
    /// The folders that may be used.
    pub(in crate::policy) roots: &'a Roots<'a>,
    depth: Cell<usize>,
    n_commands: Cell<usize>,
}

impl<'a> PolicyRun<'a> {
    pub(super) fn new(roots: &'a Roots<'a>) -> Self {
        Self {
            roots,
            depth: Cell::new(0),
            n_commands: Cell::new(0),
        }
    }

    /// Parses text as a shell program and judges all of it.
    pub(super) fn script(&self, text: &str, state: &mut ShellState) -> Result<(), Denial> {
        self.deeper(text, || {
            let tree = syntax::parse(text)?;
            walk::program(self, text, tree.root_node(), state)
        })
    }

    /// Runs `work` one level deeper, and denies beyond the limit.
    pub(super) fn deeper(
        &self,
        segment: &str,
        work: impl FnOnce() -> Result<(), Denial>,
    ) -> Result<(), Denial> {
        if self.depth.get() >= DEPTH {
            return Err(too_large(segment));
        }
        self.depth.set(self.depth.get() + 1);
        let result = work();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// Counts one simple command.
    pub(super) fn count(&self, segment: &str) -> Result<(), Denial> {
        self.n_commands.set(self.n_commands.get() + 1);
        if self.n_commands.get() > COMMANDS {
            return Err(too_large(segment));
        }
        Ok(())
    }
}

pub(super) fn too_large(segment: &str) -> Denial {
    Denial::new(PolicyRule::TooLarge, segment, "split this into smaller commands")
}
