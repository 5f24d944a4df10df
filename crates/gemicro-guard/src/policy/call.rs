//! One tool call, as every hook format is reduced to.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// What an agent wants to do, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardedCall {
    /// The tool's name, as the CLI spells it.
    pub tool: String,
    /// The tool's arguments. A shell command is `command`, as one text or as a list of words.
    pub args: Map<String, Value>,
    /// Where relative paths start.
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
