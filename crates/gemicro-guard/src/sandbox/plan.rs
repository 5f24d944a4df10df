//! Turns a profile into the exact program and arguments to start. Starts nothing.

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

/// Folders of the kernel and of running programs: a sandbox has its own or none of them.
const SYSTEM: [&str; 5] = ["/proc", "/sys", "/dev", "/run", "/boot"];

/// Argument in place of a launch that makes the launcher a waiting keeper.
pub(super) const SPARE: &str = "spare";

/// Argument in place of a launch that makes the launcher protect the machine's devices.
pub(super) const DEVICES: &str = "devices";

/// Our own binary, as it is started inside the sandbox: `program arguments… <launch> -- command…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Path of the gemicro binary that is started.
    pub program: PathBuf,
    /// Arguments that make it the launcher, for example `__launch`.
    pub arguments: Vec<OsString>,
}

/// The launcher's instructions, passed as JSON in its arguments. They contain no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The sandbox tier.
    pub tier: Tier,
    /// The task of this process.
    pub role: ProcessRole,
    /// The profile, with canonical paths.
    pub profile: Profile,
}

/// The role of a process of gemicro's own binary for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessRole {
    /// It becomes the command immediately.
    Alone,
    /// Its standard input is a channel to gemicro: it receives the real one there, then becomes the command.
    Handed,
    /// It starts the planned command (bubblewrap, a launcher, or without a sandbox the command itself), and stays until
    /// no descendant is left.
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
    /// The tier that is used, to be recorded.
    pub tier: Tier,
    /// What it can reach over the network, to be recorded.
    pub reach: NetworkReach,
    /// Paths that should be pinned but do not exist: check them afterwards.
    pub unpinned: Vec<PathBuf>,
    /// The command that a keeper starts, if there is one.
    pub(super) kept: Vec<OsString>,
}

/// Plans the start of a command. An error means that the sandbox cannot enforce the profile.
pub fn plan(
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
) -> Result<LaunchPlan, SandboxError> {
    plan_as(ProcessRole::Alone, launcher, tier, profile, command)
}

/// Plans the start of a command that is supervised to its end: none of its processes outlives the keeper. Start it with
/// [`LaunchPlan::supervised_command`].
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
                // There is no sandbox to set up: the keeper can start the command itself.
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

/// Removes from `PATH` the folders that the command can write, so that it cannot replace a program. A caller's own
/// folder stays: a virtual environment may be in it.
fn keep_programs(environment: &mut [(String, String)], profile: &Profile) {
    let mut writable = vec![profile.home.clone(), profile.temporary.clone()];
    if profile.pinning == PinnedPath::WherePossible {
        writable.push(profile.workspace.clone());
        writable.extend_from_slice(&profile.writable);
    }
    for (_, path) in environment.iter_mut().filter(|(name, _)| name == "PATH") {
        let kept = search_path(path.as_ref(), &writable);
        // The target of a link is visible; the link itself may be in the home, or in `/run`.
        let seen = std::env::split_paths(&kept).map(|folder| match is_of_the_system(&folder) {
            true => folder,
            false => folder.canonicalize().unwrap_or(folder),
        });
        let joined = std::env::join_paths(seen).unwrap_or(kept);
        *path = joined.to_string_lossy().into_owned();
    }
}

/// A command inside the sandbox.
struct ContainedCommand {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// The command that a keeper starts, if there is one.
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

/// The command line of a keeper for a command.
fn keeper_command(
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    started: &[OsString],
) -> Result<Vec<OsString>, SandboxError> {
    launcher_command(ProcessRole::Keeper, tier, launcher, profile, started)
}

/// gemicro's own binary with its arguments.
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
            // The process inherits the environment; credentials in it must not appear in a process list.
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

/// Why a folder cannot be the workspace: opening it would open paths that the sandbox must protect.
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
        // A private task repository is inside gemicro's own folder, which is hidden around it.
        Some("agents must not see it")
    } else {
        None
    }
}

/// Refuses profiles that only bind mounts can enforce.
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

/// All paths of the profile that are visible inside the sandbox.
pub(super) fn open_paths(profile: &Profile) -> impl Iterator<Item = &PathBuf> {
    let own = [&profile.workspace, &profile.home, &profile.temporary];
    own.into_iter().chain(&profile.writable).chain(&profile.readable)
}

/// The folders that may be written in this mode. A pinned folder is not among them: then only folders in it may be
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
    // A program directly in the home folder must not open the whole home.
    let opens_home = |path: &&PathBuf| profile.user_home.starts_with(path);
    if let Some(path) = profile.readable.iter().chain(&profile.writable).find(opens_home) {
        let source = std::io::Error::other("it contains your home folder, which agents must not see");
        return Err(SandboxError::Path {
            path: path.clone(),
            source,
        });
    }
    let exists = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    // A missing path needs no hiding: outside the open folders it cannot be created either. A link that leads nowhere
    // may lead somewhere inside the sandbox, or later.
    let hidden = profile.hidden.iter().filter(|path| exists(path));
    profile.hidden = hidden.map(|path| real(path)).collect::<Result<_, _>>()?;
    let secrets = system_secrets::hidden_from_agents();
    profile
        .hidden
        .extend(secrets.iter().filter_map(|path| real(path).ok()));
    if let Some(why) = undoes_the_sandbox(profile) {
        return Err(SandboxError::Workspace {
            path: profile.workspace.clone(),
            why,
        });
    }
    let (pinned, missing) = std::mem::take(&mut profile.pinned).into_iter().partition(exists);
    let pinned: Vec<PathBuf> = pinned;
    // Pinning through a link would pin the link's target, and the link itself could be replaced.
    if let Some(link) = pinned.iter().find(|path| path.is_symlink()) {
        let source = std::io::Error::other("a protected path must not be a symbolic link");
        return Err(SandboxError::Path {
            path: link.clone(),
            source,
        });
    }
    profile.pinned = pinned.iter().map(|path| real(path)).collect::<Result<_, _>>()?;
    Ok(missing)
}
