//! Each shell of an agent in a domain of its own.
//!
//! # Theory of operation
//!
//! An agent runs code that it does not know: the tests of a branch that it reviews. That code belongs to the same user
//! in the same sandbox, and could read the agent's memory, open its streams in `/proc` and answer in its place, or write
//! settings into the agent's home that its CLI reads later. Landlock refuses all that to a process in a domain that is
//! nested in the agent's. So in tier full our own binary lies where the shells are, and the shells lie elsewhere. Whoever
//! starts a shell starts us; we enter a new domain and become the shell. git is treated as a shell: settings in a home
//! tell it what to start.
//!
//! Such settings, those of shells and caches of tools could also show the agent another tree than there is, as soon as
//! it starts the next shell. So each shell of an agent has a home and a `TMPDIR` of its own, both new, and what it starts
//! has the same; nobody else can write them. A shell of a shell is in its domain already: it is known by a mark of the
//! kernel, which no variable and no mode can forge.
//!
//! What a shell must know is in a file that the launcher writes before anything else runs: variables could come from the
//! workspace. An agent whose program is a script is not a shell of its own: it is known by the number of its process. A
//! program that an agent starts without a shell stays in the agent's own domain.

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

/// Where the shells themselves lie. Bubblewrap makes `/run` anew, so nobody else has put anything there.
pub(super) const REAL: &str = "/run/gemicro";

/// What shells are told.
pub(super) const SANDBOX_FILE: &str = "/run/gemicro.json";

/// What is in the folder of a shell.
const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
/// Folders are for the user alone.
const MODE: u32 = 0o700;

/// What a shell must know of its sandbox.
#[derive(Serialize, Deserialize)]
struct ShellSandbox {
    /// The process of the agent.
    agent: u32,
    profile: Profile,
}

/// Programs that run other programs by their text.
const NAMES: [&str; 11] = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox", "git",
];
/// Where agents look for them, whatever `PATH` says.
const USUAL: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];

/// What was found by each search path.
static FOUND: Mutex<BTreeMap<String, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());

/// The shells that a command in this sandbox can find among the system's programs, each once, where they are apart from
/// it. They are looked for once per search path: every start waits for this.
pub(super) fn system_shells(profile: &Profile) -> Vec<PathBuf> {
    if profile.shells == Shells::Within {
        return Vec::new();
    }
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
        .filter(|shell| shell.is_file() && is_of_the_system(shell))
        .collect();
    shells.sort();
    shells.dedup();
    shells
}

/// Where a shell itself lies.
pub(super) fn real(shell: &Path) -> PathBuf {
    Path::new(REAL).join(shell.strip_prefix("/").unwrap_or(shell))
}

/// Tells the shells of an agent what they must know, and makes the place of their folders. This process becomes the agent.
pub(super) fn tell(launch: &Launch) -> Result<(), SandboxError> {
    let profile = &launch.profile;
    if launch.tier != Tier::Full || profile.shells == Shells::Within {
        return Ok(());
    }
    let refused = |source: std::io::Error| SandboxError::wall_refused("a home for shells", source);
    let shells = Profile::shells_in(&profile.home);
    match make(&shells) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error)),
        Ok(()) | Err(_) => {}
    }
    // A link would open what it leads to.
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

/// Becomes the shell that this process was started as, in a domain of its own. `None` for any other process.
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

/// What a shell of the agent must know, which has to enter a domain. Nothing for the agent itself, and for what runs in a
/// shell already.
fn new_domain() -> Result<Option<Profile>, SandboxError> {
    if filter::is_marked() {
        return Ok(None);
    }
    let text = std::fs::read(SANDBOX_FILE).map_err(|source| SandboxError::wall_refused("a shell", source))?;
    let sandbox: ShellSandbox = serde_json::from_slice(&text)?;
    Ok((sandbox.agent != std::process::id()).then_some(sandbox.profile))
}

/// Enters the domain, and gives the variables that are to be others: who has chosen a home keeps it.
fn enter(profile: &Profile, home: Option<&OsStr>) -> Result<Vec<(&'static str, PathBuf)>, SandboxError> {
    let own = furnish(profile).map_err(|source| SandboxError::wall_refused("a home for a shell", source))?;
    rules::nest(profile, &own)?;
    filter::mark()?;
    let mut variables = vec![("TMPDIR", own.join(TEMPORARY))];
    if home.is_none_or(|home| home == profile.home) {
        variables.push(("HOME", own.join(HOME)));
    }
    Ok(variables)
}

/// Makes the folder of a shell, with home and temporary folder.
fn furnish(profile: &Profile) -> std::io::Result<PathBuf> {
    let shells = Profile::shells_in(&profile.home);
    // No kernel wall keeps shells from changing modes.
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

/// Lets the user alone do everything with a folder.
pub(super) fn open_up(folder: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(MODE))
}
