//! One tool call, in the form that every hook format is converted to.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// A tool call that an agent wants to make, and the folders it concerns.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardedCall {
    /// The tool's name, as the CLI spells it.
    pub tool: String,
    /// The tool's arguments. A shell command is `command`, as one string or as a list of words.
    pub args: Map<String, Value>,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// The folder that the agent may change.
    pub worktree: PathBuf,
}

impl GuardedCall {
    /// A shell command, started in the worktree's root.
    pub fn shell(tool: impl Into<String>, command: impl Into<String>, worktree: impl Into<PathBuf>) -> Self {
        let worktree = worktree.into();
        let mut args = Map::new();
        args.insert("command".to_owned(), Value::String(command.into()));
        Self {
            tool: tool.into(),
            args,
            cwd: worktree.clone(),
            worktree,
        }
    }
}
