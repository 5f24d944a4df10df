//! The permissions of a sandboxed command. Plain data, computed from the user's choice only.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Settings of agent CLIs, hooks and environments that run code later, and what later agents are given: never writable
/// in a caller's own folder.
pub const SETTINGS: &[&str] = &[
    ".git",
    ".claude",
    ".gemini",
    ".codex",
    ".agents",
    "AGENT_MEMORY.md",
    ".mcp.json",
    ".envrc",
    ".vscode",
    ".idea",
    ".husky",
];

/// How much the command may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteMode {
    /// Only its home and its temporary folder.
    ReadOnly,
    /// Also the workspace and the writable folders.
    WorkspaceWrite,
    /// Everything; there is no sandbox. The user must type this for each run.
    DangerFullAccess,
}

/// What the command may reach over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// No network at all.
    None,
    /// Only the gateway; see [`GatewayPort`](super::GatewayPort).
    Gateway {
        /// Its port on 127.0.0.1, as the command sees it.
        port: u16,
    },
    /// Any address that the user can reach.
    Open,
}

/// How to handle pinned paths if the tier cannot pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinnedPath {
    /// Refuse to start: the pinned paths protect the user (in a caller's own folder).
    Required,
    /// Start anyway: the pinned paths only help careless agents (in a private task repository).
    WherePossible,
}

/// How the shells of a command are isolated from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shells {
    /// Not at all: they may do what the command may.
    Within,
    /// Isolated from the command, an agent: the programs they run cannot access its process or write its home. Each has
    /// a new home. Only enforced in tier full.
    Apart,
}

/// Limits on the resources of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// Maximum number of processes of the user, including this command's. Does not apply to root.
    pub processes: Option<u64>,
    /// Maximum size of one file in bytes.
    pub file_bytes: Option<u64>,
    /// Maximum address space of one process in bytes. Off by default: node reserves far more than it uses.
    pub memory_bytes: Option<u64>,
    /// Maximum number of open files of one process.
    pub open_files: Option<u64>,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            processes: Some(4096),
            file_bytes: Some(8 << 30),
            memory_bytes: None,
            open_files: Some(65_536),
        }
    }
}

/// A sandbox, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// What the command may change.
    pub mode: WriteMode,
    /// The folder in which the command starts and works.
    pub workspace: PathBuf,
    /// Further folders that may be written in `workspace-write`, for example the task's git directory.
    pub writable: Vec<PathBuf>,
    /// Paths inside those that stay read-only. The workspace itself may be pinned: then only the writable folders
    /// inside it can be written, in every tier. Paths that do not exist cannot be pinned (see
    /// [`LaunchPlan::unpinned`]).
    ///
    /// [`LaunchPlan::unpinned`]: super::LaunchPlan::unpinned
    pub pinned: Vec<PathBuf>,
    /// How to handle pinned paths if pinning is not possible.
    pub pinning: PinnedPath,
    /// How its shells are isolated.
    pub shells: Shells,
    /// Paths outside the system's own folders that may be read: toolchains, the CLI's installation.
    pub readable: Vec<PathBuf>,
    /// Paths that must not be visible. The user's home is always one of them.
    pub hidden: Vec<PathBuf>,
    /// The user's home, which is replaced by an empty folder.
    pub user_home: PathBuf,
    /// The command's own home, writable; see [`Profile::shells_in`].
    pub home: PathBuf,
    /// The command's temporary folder, writable.
    pub temporary: PathBuf,
    /// The network that the command can reach.
    pub network: Network,
    /// Whether Unix sockets may be created. Only tier full can allow it: there no socket of the user is visible.
    pub unix_sockets: bool,
    /// Limits on processes, open files, file size and memory.
    pub limits: ResourceLimits,
    /// The whole environment of the command; nothing is inherited. `HOME` and `TMPDIR` are set in addition.
    pub environment: Vec<(String, String)>,
}

/// The folder for the shells of an agent, in the agent's home.
const SHELLS: &str = ".shells";
/// The template for the homes of these shells.
const SKELETON: &str = ".skeleton";

impl Profile {
    /// The template for the home of the command's shells: folders and links. To be filled before the start.
    #[must_use]
    pub fn shell_skeleton(&self) -> PathBuf {
        match self.shells {
            Shells::Within => self.home.clone(),
            Shells::Apart => self.home.join(SKELETON),
        }
    }

    /// The folder where the shells of an agent with this home keep their files. Not needed after a turn.
    #[must_use]
    pub fn shells_in(home: &Path) -> PathBuf {
        home.join(SHELLS)
    }

    /// Paths of a caller's own folder that must not change.
    pub fn settings_of(workspace: &Path) -> Vec<PathBuf> {
        SETTINGS.iter().map(|name| workspace.join(name)).collect()
    }
}
