//! The policy settings of the user: plain data, filled in from the user's own configuration only.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The user's additions to the built-in rules. The default adds nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// Programs that treat their arguments as data, so that an argument `git` or `sh` starts nothing.
    pub plain_programs: Vec<String>,
    /// Tools that are allowed whatever their arguments, for example `mcp__docs__search`.
    pub tools: Vec<String>,
    /// Further git subcommands to allow, with any arguments but the denied options.
    pub git_subcommands: Vec<String>,
    /// Folders besides the worktree that may be written, for example the task's temporary folder.
    pub writable: Vec<PathBuf>,
    /// Folders besides the worktree that file tools may read.
    pub readable: Vec<PathBuf>,
    /// Whether `git commit --amend` is allowed. It replaces a commit, so the import would refuse it.
    pub allow_amend: bool,
    /// Whether tools that fetch from the web are denied altogether.
    pub deny_web: bool,
    /// Whether the model's provider may open addresses and run web tools for an agent. Programs in the sandbox could
    /// then send out what they can read.
    pub provider_web: bool,
    /// The file that these settings came from. If the agent could change it, every call is denied.
    #[serde(skip)]
    pub settings_file: Option<PathBuf>,
}
