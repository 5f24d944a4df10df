//! Each shell of a sandbox in a domain of its own.
//!
//! # Theory of operation
//!
//! An agent runs code that it does not know: the tests of a branch that it reviews. That code belongs to the same user
//! in the same sandbox, and could read the agent's memory, open its streams in `/proc` and answer in its place.
//! Landlock refuses all that to a process in a domain that is nested in the agent's. So in tier full our own binary
//! lies where the shells are, and the shells lie below [`REAL`]. Whoever starts a shell starts us; we enter a new domain,
//! which forbids nothing else, and become the shell. A program that an agent starts without a shell stays in the
//! agent's own domain.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::SandboxError;
use super::profile::Profile;
use super::{rules, spawn};

/// Where the shells themselves lie. Bubblewrap makes `/run` anew, so nobody else has put anything there.
pub(super) const REAL: &str = "/run/gemicro";

/// Programs that run other programs by their text.
const NAMES: [&str; 10] = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox",
];
/// Where agents look for them, whatever `PATH` says.
const USUAL: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];

/// The shells that a command in this sandbox can find among the system's programs, each once.
pub(super) fn found(profile: &Profile) -> Vec<PathBuf> {
    let path = profile.environment.iter().find(|(name, _)| name == "PATH");
    let named = path
        .into_iter()
        .flat_map(|(_, value)| std::env::split_paths(value));
    let folders: Vec<PathBuf> = named.chain(USUAL.map(PathBuf::from)).collect();
    let mut shells: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter_map(|shell| shell.canonicalize().ok())
        .filter(|shell| shell.is_file() && rules::is_of_the_system(shell))
        .collect();
    shells.sort();
    shells.dedup();
    shells
}

/// Where a shell lies inside.
pub(super) fn real(shell: &Path) -> PathBuf {
    Path::new(REAL).join(shell.strip_prefix("/").unwrap_or(shell))
}

/// Becomes the shell that this process was started as, in a domain of its own. `None` for any other process.
pub(super) fn become_shell() -> Option<SandboxError> {
    let shell = real(&std::env::current_exe().ok()?);
    if !shell.exists() {
        return None;
    }
    if let Err(error) = rules::nest() {
        return Some(error);
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| OsString::from("sh"));
    Some(spawn::exec_as(&shell, &name, arguments))
}
