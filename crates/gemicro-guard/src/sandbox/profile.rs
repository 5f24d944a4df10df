//! What a sandboxed command may touch. Plain data, computed from the user's choice only.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Settings of agent CLIs, hooks and environments that run code later: never writable in a caller's own folder.
pub const SETTINGS: &[&str] = &[
    ".git",
    ".claude",
    ".gemini",
    ".codex",
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
    /// Nothing but its home and its temporary folder.
    ReadOnly,
    /// The workspace and the writable folders too.
    WorkspaceWrite,
    /// Everything; there is no sandbox. Must be typed by the user for this run.
    DangerFullAccess,
}

/// What the command may reach over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// No network at all.
    None,
    /// The gateway alone; see [`GatewayPort`](super::GatewayPort).
    Gateway {
        /// Its port on 127.0.0.1, as the command sees it.
        port: u16,
    },
    /// Any address that the user can reach.
    Open,
}

/// What to do about pinned paths where the tier cannot pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinnedPath {
    /// Refuse to start: the pins are what protects the user (a caller's own folder).
    Required,
    /// Start: the pins only help careless agents (a private task repository).
    WherePossible,
}

/// What the shells of a command are to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shells {
    /// A part of it: they may do what it may.
    Within,
    /// Apart from it, an agent: what they run does not reach into its process and does not write its home. Each
    /// has a new home. Holds in tier full alone.
    Apart,
}

/// Bounds on what the command may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// Processes of the user, this command's included. Does not bind root.
    pub processes: Option<u64>,
    /// Bytes of one file.
    pub file_bytes: Option<u64>,
    /// Bytes of address space of one process. Off by default: node reserves far more than it uses.
    pub memory_bytes: Option<u64>,
    /// Open files of one process.
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
    /// How much may be changed.
    pub mode: WriteMode,
    /// Where the command works; it starts here.
    pub workspace: PathBuf,
    /// Further folders that may be written in `workspace-write`, for example the task's git directory.
    pub writable: Vec<PathBuf>,
    /// Paths inside those that stay read-only. The workspace itself may be pinned: then of all that is in it only the
    /// writable folders can be written, in every tier. What does not exist cannot be pinned (see [`LaunchPlan::unpinned`]).
    ///
    /// [`LaunchPlan::unpinned`]: super::LaunchPlan::unpinned
    pub pinned: Vec<PathBuf>,
    /// What happens where pinning is not possible.
    pub pinning: PinnedPath,
    /// What its shells may do.
    pub shells: Shells,
    /// Paths outside the system's own folders that may be read: toolchains, the CLI's installation.
    pub readable: Vec<PathBuf>,
    /// Paths that must not be seen. The user's home is always among them.
    pub hidden: Vec<PathBuf>,
    /// The user's home, which is replaced by an empty folder.
    pub user_home: PathBuf,
    /// The command's own home, writable; see [`Profile::shells_in`].
    pub home: PathBuf,
    /// The command's temporary folder, writable.
    pub temporary: PathBuf,
    /// What network the command can reach.
    pub network: Network,
    /// Whether Unix sockets may be made. Only tier full can allow it: there no socket of the user can be seen.
    pub unix_sockets: bool,
    /// Limits on processes, open files, file size and memory.
    pub limits: ResourceLimits,
    /// The whole environment of the command; nothing is inherited. `HOME` and `TMPDIR` are set besides.
    pub environment: Vec<(String, String)>,
}

/// Where the shells of an agent have their folders, in the agent's home.
const SHELLS: &str = ".shells";
/// What each of their homes begins with.
const SKELETON: &str = ".skeleton";

impl Profile {
    /// What the home of what the command runs by a shell begins with: folders and links. To be filled before the start.
    #[must_use]
    pub fn shell_skeleton(&self) -> PathBuf {
        match self.shells {
            Shells::Within => self.home.clone(),
            Shells::Apart => self.home.join(SKELETON),
        }
    }

    /// Where the shells of an agent with this home leave what they wrote into theirs. Nobody needs it after a turn.
    #[must_use]
    pub fn shells_in(home: &Path) -> PathBuf {
        home.join(SHELLS)
    }

    /// Paths of a caller's own folder that must stay as they are.
    pub fn settings_of(workspace: &Path) -> Vec<PathBuf> {
        SETTINGS.iter().map(|name| workspace.join(name)).collect()
    }
}
