//! From a profile to the exact program and arguments. Starts nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SandboxError;
use super::gateway::{self, NetworkReach};
use super::profile::{PinnedPath, Profile, WriteMode};
use super::seatbelt;
use super::system_secrets;
use super::tier::Tier;
use super::visible::is_of_the_system;
use crate::search_path;

/// Folders of the kernel and of running programs: a sandbox has its own, or none.
const SYSTEM: [&str; 5] = ["/proc", "/sys", "/dev", "/run", "/boot"];

/// What makes the launcher a keeper that waits, in place of a launch.
pub(super) const SPARE: &str = "spare";

/// What makes the launcher protect the devices of the machine, in place of a launch.
pub(super) const DEVICES: &str = "devices";

/// Our own binary, as it is started inside the sandbox: `program arguments… <launch> -- command…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Path of the gemicro binary that is started.
    pub program: PathBuf,
    /// What makes it the launcher, for example `__launch`.
    pub arguments: Vec<OsString>,
}

/// What the launcher is told, as JSON in its arguments. It holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The walls around it.
    pub tier: Tier,
    /// What this process has to do.
    pub role: ProcessRole,
    /// The profile, with canonical paths.
    pub profile: Profile,
}

/// What a process of our own binary does for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessRole {
    /// It becomes the command at once.
    Alone,
    /// Its standard input is a channel to gemicro: it gets the real one there, then becomes the command.
    Handed,
    /// It starts what is planned, bubblewrap, a launcher or without walls the command itself, and stays until no
    /// descendant is left.
    Keeper,
}

/// A command, ready to be started in its sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The program to start.
    pub program: PathBuf,
    /// Arguments, without the program itself.
    pub arguments: Vec<OsString>,
    /// Variables that are set, as name and value.
    pub environment: Vec<(String, String)>,
    /// Working directory of the new process.
    pub cwd: PathBuf,
    /// The tier that holds it, for the record.
    pub tier: Tier,
    /// What it can reach over the network, for the record.
    pub reach: NetworkReach,
    /// Paths that should have been pinned and do not exist: look at them afterwards.
    pub unpinned: Vec<PathBuf>,
    /// What a keeper starts, where there is one.
    pub(super) kept: Vec<OsString>,
}

/// Plans the start of a command. An error means that the sandbox would not hold what the profile says.
pub fn plan(
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
) -> Result<LaunchPlan, SandboxError> {
    plan_as(ProcessRole::Alone, launcher, tier, profile, command)
}

/// Plans the start of a command that is watched to its end: nothing of it outlives what starts it. To be started
/// by [`LaunchPlan::supervised_command`].
pub fn plan_supervised(
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
) -> Result<LaunchPlan, SandboxError> {
    plan_as(ProcessRole::Handed, launcher, tier, profile, command)
}

fn plan_as(
    role: ProcessRole,
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
) -> Result<LaunchPlan, SandboxError> {
    let mode = profile.mode;
    let mut profile = profile.clone();
    let (mut unpinned, mut kept_command) = (Vec::new(), Vec::new());
    let (program, arguments) = match (mode, tier) {
        (WriteMode::DangerFullAccess, _) => {
            let command = match role {
                ProcessRole::Alone => command.to_vec(),
                // There are no walls to put up: the keeper can start the command itself.
                ProcessRole::Handed | ProcessRole::Keeper => {
                    kept_command = command.to_vec();
                    keeper_command(Tier::None, launcher, &profile, command)?
                }
            };
            let (program, arguments) = command.split_first().ok_or(SandboxError::Unavailable { mode })?;
            (PathBuf::from(program), arguments.to_vec())
        }
        (_, Tier::None) => return Err(SandboxError::Unavailable { mode }),
        (_, Tier::Full | Tier::Landlock | Tier::Seatbelt) => {
            unpinned = canonical(&mut profile)?;
            let contained = plan_contained(role, tier, launcher, &profile, command)?;
            kept_command = contained.kept;
            (contained.program, contained.arguments)
        }
    };
    let mut environment = profile.environment.clone();
    environment.retain(|(name, _)| !matches!(name.as_str(), "HOME" | "TMPDIR"));
    if mode != WriteMode::DangerFullAccess {
        keep_programs(&mut environment, &profile);
    }
    for (name, path) in [("HOME", &profile.home), ("TMPDIR", &profile.temporary)] {
        environment.push((name.to_owned(), path.to_string_lossy().into_owned()));
    }
    let tier = if mode == WriteMode::DangerFullAccess {
        Tier::None
    } else {
        tier
    };
    Ok(LaunchPlan {
        program,
        arguments,
        environment,
        cwd: profile.workspace,
        tier,
        reach: gateway::reach(tier, profile.network, super::probe::abi()),
        unpinned,
        kept: kept_command,
    })
}

/// No program that the command can write stands for another. A caller's own folder is searched as the caller does it: a
/// virtual environment lies there.
fn keep_programs(environment: &mut [(String, String)], profile: &Profile) {
    let mut writable = vec![profile.home.clone(), profile.temporary.clone()];
    if profile.pinning == PinnedPath::WherePossible {
        writable.push(profile.workspace.clone());
        writable.extend_from_slice(&profile.writable);
    }
    for (_, path) in environment.iter_mut().filter(|(name, _)| name == "PATH") {
        let kept = search_path(path.as_ref(), &writable);
        // What a link leads to can be seen; the link itself may lie in the home, or in `/run`.
        let seen = std::env::split_paths(&kept).map(|folder| match is_of_the_system(&folder) {
            true => folder,
            false => folder.canonicalize().unwrap_or(folder),
        });
        let joined = std::env::join_paths(seen).unwrap_or(kept);
        *path = joined.to_string_lossy().into_owned();
    }
}

/// A command behind walls.
struct ContainedCommand {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// What a keeper starts, where there is one.
    kept: Vec<OsString>,
}

fn plan_contained(
    role: ProcessRole,
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    command: &[OsString],
) -> Result<ContainedCommand, SandboxError> {
    check(tier, profile)?;
    match tier {
        #[cfg(target_os = "linux")]
        Tier::Full | Tier::Landlock => {
            let mut whole = launcher_command(role, tier, launcher, profile, command)?;
            if tier == Tier::Full {
                let mut outer = Vec::new();
                if super::devices::are_ours() {
                    outer.push(launcher.program.clone().into());
                    outer.extend(launcher.arguments.iter().cloned());
                    outer.extend([DEVICES.into(), "--".into()]);
                }
                outer.push(super::bubblewrap::PROGRAM.into());
                outer.extend(super::bubblewrap::arguments(launcher, profile));
                outer.append(&mut whole);
                whole = outer;
            }
            let mut kept_command = Vec::new();
            if role == ProcessRole::Handed {
                let keeper = keeper_command(tier, launcher, profile, &whole)?;
                kept_command = std::mem::replace(&mut whole, keeper);
            }
            let arguments = whole.split_off(1);
            Ok(ContainedCommand {
                program: whole.remove(0).into(),
                arguments,
                kept: kept_command,
            })
        }
        Tier::Seatbelt => Ok(ContainedCommand {
            program: seatbelt::PROGRAM.into(),
            arguments: seatbelt::arguments(profile, command),
            kept: Vec::new(),
        }),
        _ => Err(SandboxError::Unavailable { mode: profile.mode }),
    }
}

/// A keeper of what is started.
fn keeper_command(
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    started: &[OsString],
) -> Result<Vec<OsString>, SandboxError> {
    launcher_command(ProcessRole::Keeper, tier, launcher, profile, started)
}

/// Our own binary with its arguments.
fn launcher_command(
    role: ProcessRole,
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    command: &[OsString],
) -> Result<Vec<OsString>, SandboxError> {
    let mut whole = vec![launcher.program.clone().into()];
    whole.extend(inside(role, tier, launcher, profile, command)?);
    Ok(whole)
}

/// The launcher's own arguments.
fn inside(
    role: ProcessRole,
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    command: &[OsString],
) -> Result<Vec<OsString>, SandboxError> {
    let launch = Launch {
        tier,
        role,
        profile: Profile {
            // The environment reaches the process by itself; credentials in it must not stand in a process list.
            environment: Vec::new(),
            ..profile.clone()
        },
    };
    let mut arguments = launcher.arguments.clone();
    arguments.push(serde_json::to_string(&launch)?.into());
    arguments.push("--".into());
    arguments.extend(command.iter().cloned());
    Ok(arguments)
}

/// Why a folder cannot be worked in: opening it would open what the sandbox is there to shut.
fn undoes_the_sandbox(profile: &Profile) -> Option<&'static str> {
    let workspace = &profile.workspace;
    let is_of_the_system = SYSTEM.iter().any(|folder| workspace.starts_with(folder));
    if workspace.parent().is_none() || is_of_the_system {
        Some("it belongs to the system")
    } else if profile.user_home.starts_with(workspace) {
        Some("it contains your home folder")
    } else if profile.pinning == PinnedPath::Required
        && profile.hidden.iter().any(|hidden| workspace.starts_with(hidden))
    {
        // A private task repository lies in our own folder, which is hidden around it.
        Some("it is part of what agents must not see")
    } else {
        None
    }
}

/// What only bind mounts can do.
fn check(tier: Tier, profile: &Profile) -> Result<(), SandboxError> {
    if tier != Tier::Landlock {
        return Ok(());
    }
    let opened: Vec<&PathBuf> = open_paths(profile).collect();
    let inside_open = |path: &Path| opened.iter().any(|root| path.starts_with(root));
    let shut = |path: &PathBuf| SandboxError::CannotShut {
        path: path.clone(),
        tier,
    };
    if let Some(path) = profile.hidden.iter().find(|path| inside_open(path)) {
        return Err(shut(path));
    }
    let must_pin = profile.mode == WriteMode::WorkspaceWrite && profile.pinning == PinnedPath::Required;
    match profile.pinned.first() {
        Some(path) if must_pin => Err(shut(path)),
        _ => Ok(()),
    }
}

/// Everything of the profile that can be seen inside.
pub(super) fn open_paths(profile: &Profile) -> impl Iterator<Item = &PathBuf> {
    let own = [&profile.workspace, &profile.home, &profile.temporary];
    own.into_iter().chain(&profile.writable).chain(&profile.readable)
}

/// The folders that may be written in this mode. One that is itself pinned is not: then only folders in it may be
/// writable, in every tier.
pub(super) fn writable_paths(profile: &Profile) -> Vec<&PathBuf> {
    let mut paths = vec![&profile.home, &profile.temporary];
    if profile.mode == WriteMode::WorkspaceWrite {
        paths.push(&profile.workspace);
        paths.extend(&profile.writable);
    }
    paths.retain(|path| !profile.pinned.contains(path));
    paths
}

/// Makes every path canonical; returns the pinned paths that do not exist.
fn canonical(profile: &mut Profile) -> Result<Vec<PathBuf>, SandboxError> {
    let real = |path: &Path| {
        std::fs::canonicalize(path).map_err(|source| SandboxError::Path {
            path: path.to_path_buf(),
            source,
        })
    };
    for path in [
        &mut profile.workspace,
        &mut profile.user_home,
        &mut profile.home,
        &mut profile.temporary,
    ] {
        *path = real(path)?;
    }
    for path in profile.writable.iter_mut().chain(&mut profile.readable) {
        *path = real(path)?;
    }
    // A program that lies in the home itself must not open the whole home.
    let opens_home = |path: &&PathBuf| profile.user_home.starts_with(path);
    if let Some(path) = profile.readable.iter().chain(&profile.writable).find(opens_home) {
        let source = std::io::Error::other("it contains the user's home folder, which must stay hidden");
        return Err(SandboxError::Path {
            path: path.clone(),
            source,
        });
    }
    // What is not there needs no hiding: it cannot be made either, outside the open folders.
    let secrets = system_secrets::hidden_from_agents();
    let hidden = profile.hidden.iter().chain(&secrets);
    profile.hidden = hidden.filter_map(|path| real(path).ok()).collect();
    if let Some(why) = undoes_the_sandbox(profile) {
        return Err(SandboxError::Workspace {
            path: profile.workspace.clone(),
            why,
        });
    }
    let exists = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    let (pinned, missing) = std::mem::take(&mut profile.pinned).into_iter().partition(exists);
    let pinned: Vec<PathBuf> = pinned;
    // A pin through a link would pin the link's target and leave the link itself to be replaced.
    if let Some(link) = pinned.iter().find(|path| path.is_symlink()) {
        let source = std::io::Error::other("a pinned path must not be a symbolic link");
        return Err(SandboxError::Path {
            path: link.clone(),
            source,
        });
    }
    profile.pinned = pinned.iter().map(|path| real(path)).collect::<Result<_, _>>()?;
    Ok(missing)
}
