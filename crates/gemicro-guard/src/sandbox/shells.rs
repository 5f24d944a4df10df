//! Each shell of a sandbox in a domain of its own.
//!
//! # Theory of operation
//!
//! An agent runs code that it does not know: the tests of a branch that it reviews. That code belongs to the same user
//! in the same sandbox, and could read the agent's memory, open its streams in `/proc` and answer in its place.
//! Landlock refuses all that to a process in a domain that is nested in the agent's. So in tier full our own binary
//! lies where the shells are, and the shells lie elsewhere. Whoever starts a shell starts us; we enter a new domain,
//! which forbids nothing else, and become the shell. git is treated as a shell: settings in a home tell it what to start.
//! Where the workspace is only read, nothing outside the new domain can be sent a signal either: node opens its debugger
//! on one. Who writes the workspace may end servers that an earlier shell started. A program that an agent starts without
//! a shell stays in the agent's own domain.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::error::SandboxError;
use super::plan::writable_paths;
use super::profile::Profile;
use super::{rules, spawn};

/// Where the shells themselves lie. Bubblewrap makes `/run` anew, so nobody else has put anything there.
pub(super) const REAL: &str = "/run/gemicro";

/// What a shell may do to processes outside its domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signals {
    Sent,
    Refused,
}

impl Signals {
    /// Where the shells lie that may do this.
    fn folder(self) -> PathBuf {
        Path::new(REAL).join(match self {
            Self::Sent => "writers",
            Self::Refused => "readers",
        })
    }

    /// What fits those who work in this sandbox.
    fn of(profile: &Profile) -> Self {
        match writable_paths(profile).contains(&&profile.workspace) {
            true => Self::Sent,
            false => Self::Refused,
        }
    }
}

/// Programs that run other programs by their text.
const NAMES: [&str; 11] = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox", "git",
];
/// Where agents look for them, whatever `PATH` says.
const USUAL: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];

/// What was found by each search path.
static FOUND: Mutex<BTreeMap<String, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());

/// The shells that a command in this sandbox can find among the system's programs, each once. They are looked for once
/// per search path: every start waits for this.
pub(super) fn found(profile: &Profile) -> Vec<PathBuf> {
    let path = profile.environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str()).unwrap_or_default();
    let mut known = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let shells = known.entry(path.to_owned()).or_insert_with(|| search(path));
    // What was uninstalled meanwhile cannot be covered, and need not be.
    shells.iter().filter(|shell| shell.is_file()).cloned().collect()
}

fn search(path: &str) -> Vec<PathBuf> {
    let folders = std::env::split_paths(path).chain(USUAL.map(PathBuf::from));
    let mut shells: Vec<PathBuf> = folders
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter_map(|shell| shell.canonicalize().ok())
        .filter(|shell| shell.is_file() && rules::is_of_the_system(shell))
        .collect();
    shells.sort();
    shells.dedup();
    shells
}

/// Where a shell lies in this sandbox.
pub(super) fn real(profile: &Profile, shell: &Path) -> PathBuf {
    below(&Signals::of(profile).folder(), shell)
}

fn below(folder: &Path, shell: &Path) -> PathBuf {
    folder.join(shell.strip_prefix("/").unwrap_or(shell))
}

/// Becomes the shell that this process was started as, in a domain of its own. `None` for any other process.
pub(super) fn become_shell() -> Option<SandboxError> {
    let own = std::env::current_exe().ok()?;
    let kinds = [Signals::Refused, Signals::Sent];
    let mut shells = kinds
        .map(|signals| (signals, below(&signals.folder(), &own)))
        .into_iter();
    let (signals, shell) = shells.find(|(_, shell)| shell.exists())?;
    if let Err(error) = rules::nest(signals) {
        return Some(error);
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| OsString::from("sh"));
    Some(spawn::exec_as(&shell, &name, arguments))
}
