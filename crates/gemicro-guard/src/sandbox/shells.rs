//! Runs each shell of an agent in its own Landlock domain.
//!
//! # Theory of operation
//!
//! An agent runs code that it does not know: the tests of a branch that it reviews. That code runs as the same user in
//! the same sandbox. It could read the agent's memory, open its streams in `/proc` and answer in its place, or write
//! settings into the agent's home that its CLI reads later. Landlock denies all that to a process in a domain nested in
//! the agent's. So in tier full gemicro's own binary is mounted over the shells, and the shells are elsewhere. A
//! program that starts a shell starts gemicro, which enters a new domain and becomes the shell. git is treated as a
//! shell, because settings in a home tell it what to start.
//!
//! Such settings, those of shells, and caches of tools could also make the agent see a different tree when it starts
//! the next shell. So each shell of an agent has its own new home and `TMPDIR`, shared only with the programs it
//! starts; no other process can write them. A shell started by a shell is in that domain already: it is recognised by a
//! seccomp filter, which no variable and no mode can forge.
//!
//! A shell reads its instructions from a file that the launcher writes before anything else runs, because variables
//! could come from the workspace. If the agent's program is a script, its interpreter is not treated as a shell: it is
//! recognised by its process id. A program that an agent starts without a shell stays in the agent's own domain.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

use super::error::SandboxError;
use super::plan::Launch;
use super::profile::{Profile, Shells};
use super::tier::Tier;
use super::visible::is_of_the_system;
use super::{filter, rules, shell_keeper, spawn};

/// The folder of the real shells. Bubblewrap creates `/run` anew, so it contains nothing else.
pub(super) const REAL: &str = "/run/gemicro";

/// The instructions for shells.
pub(super) const SANDBOX_FILE: &str = "/run/gemicro.json";

/// The entries in the folder of a shell.
const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
/// Folders are accessible only to the user.
const MODE: u32 = 0o700;

/// The instructions for a shell about its sandbox.
#[derive(Serialize, Deserialize)]
struct ShellSandbox {
    /// The process id of the agent.
    agent: u32,
    profile: Profile,
}

/// Programs that run other programs named in their input or settings.
const NAMES: [&str; 11] = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox", "git",
];
/// Folders where agents look for them, whatever `PATH` says.
const USUAL: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];

/// The shells found, by search path.
static FOUND: Mutex<BTreeMap<String, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());

/// The system shells that a command in this sandbox can find, each once, if they are isolated from it. The search runs
/// once per search path, because every start waits for it.
pub(super) fn system_shells(profile: &Profile) -> Vec<PathBuf> {
    if profile.shells == Shells::Within {
        return Vec::new();
    }
    let path = profile.environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str()).unwrap_or_default();
    let mut known = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let shells = known.entry(path.to_owned()).or_insert_with(|| search(path));
    // A shell that was uninstalled meanwhile cannot be covered, and need not be.
    shells.iter().filter(|shell| shell.is_file()).cloned().collect()
}

fn search(path: &str) -> Vec<PathBuf> {
    let folders = std::env::split_paths(path).chain(USUAL.map(PathBuf::from));
    let mut shells: Vec<PathBuf> = folders
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter_map(|shell| shell.canonicalize().ok())
        .filter(|shell| shell.is_file() && is_of_the_system(shell))
        .collect();
    shells.sort();
    shells.dedup();
    shells
}

/// The path of the real shell.
pub(super) fn real(shell: &Path) -> PathBuf {
    Path::new(REAL).join(shell.strip_prefix("/").unwrap_or(shell))
}

/// Writes the instructions for the agent's shells, and creates the folder for their files. This process becomes the
/// agent.
pub(super) fn tell(launch: &Launch) -> Result<(), SandboxError> {
    let profile = &launch.profile;
    if launch.tier != Tier::Full || profile.shells == Shells::Within {
        return Ok(());
    }
    let refused =
        |source: std::io::Error| SandboxError::wall_refused("creating the folder for shells", source);
    let shells = Profile::shells_in(&profile.home);
    match make(&shells) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error)),
        Ok(()) | Err(_) => {}
    }
    // Following a link would open its target.
    if !std::fs::symlink_metadata(&shells).map_err(refused)?.is_dir() {
        return Err(refused(ErrorKind::NotADirectory.into()));
    }
    shell_keeper::forget(profile);
    let sandbox = ShellSandbox {
        agent: std::process::id(),
        profile: profile.clone(),
    };
    std::fs::write(SANDBOX_FILE, serde_json::to_vec(&sandbox)?).map_err(refused)
}

/// Becomes the shell that this process was started as, in its own domain. `None` for any other process.
pub(super) fn become_shell(home: Option<&OsStr>) -> Option<SandboxError> {
    let own = std::env::current_exe().ok()?;
    let shell = real(&own);
    if !shell.exists() {
        return None;
    }
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let mut name = match arguments.is_empty() {
        true => OsString::from("sh"),
        false => arguments.remove(0),
    };
    let profile = match new_domain() {
        Ok(profile) => profile,
        Err(error) => return Some(error),
    };
    let mut variables = Vec::new();
    if let Some(profile) = profile {
        if name == shell_keeper::KEEPER {
            return Some(shell_keeper::keep(&own, &arguments, &profile));
        }
        if name == shell_keeper::KEPT && !arguments.is_empty() {
            name = arguments.remove(0);
        } else if !rules::writes_workspace(&profile) {
            return Some(shell_keeper::watch(&own, &name, &arguments));
        }
        variables = match enter(&profile, home) {
            Ok(variables) => variables,
            Err(error) => return Some(error),
        };
    }
    Some(spawn::exec_as(&shell, &name, arguments.into_iter(), variables))
}

/// The profile for a shell of the agent that has to enter a domain. `None` for the agent itself, and for programs that
/// already run in a shell.
fn new_domain() -> Result<Option<Profile>, SandboxError> {
    if filter::is_marked() {
        return Ok(None);
    }
    let text = std::fs::read(SANDBOX_FILE)
        .map_err(|source| SandboxError::wall_refused("reading the profile of a shell", source))?;
    let sandbox: ShellSandbox = serde_json::from_slice(&text)?;
    Ok((sandbox.agent != std::process::id()).then_some(sandbox.profile))
}

/// Enters the domain, and returns the variables to set. A `HOME` other than the agent's is kept.
fn enter(profile: &Profile, home: Option<&OsStr>) -> Result<Vec<(&'static str, PathBuf)>, SandboxError> {
    let own = furnish(profile)
        .map_err(|source| SandboxError::wall_refused("creating the home folder of a shell", source))?;
    rules::nest(profile, &own)?;
    filter::mark()?;
    let mut variables = vec![("TMPDIR", own.join(TEMPORARY))];
    if home.is_none_or(|home| home == profile.home) {
        variables.push(("HOME", own.join(HOME)));
    }
    Ok(variables)
}

/// Creates the folder of a shell, with home and temporary folder.
fn furnish(profile: &Profile) -> std::io::Result<PathBuf> {
    let shells = Profile::shells_in(&profile.home);
    // The sandbox does not stop shells from changing modes.
    for folder in [&profile.home, &shells] {
        let _ = open_up(folder);
    }
    let own = shells.join(StreamId::random().as_str());
    make(&own)?;
    make(&own.join(TEMPORARY))?;
    copy(&profile.shell_skeleton(), &own.join(HOME))?;
    Ok(own)
}

/// Copies folders and links.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    make(to)?;
    let _ = open_up(from);
    let entries = match std::fs::read_dir(from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &to)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(entry.path())?, to)?;
        }
    }
    Ok(())
}

fn make(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().mode(MODE).create(folder)
}

/// Gives only the user full access to a folder.
pub(super) fn open_up(folder: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(MODE))
}
