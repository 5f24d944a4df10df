//! From a profile to the exact program and arguments. Starts nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SandboxError;
use super::profile::{Mode, Pinning, Profile};
use super::seatbelt;
use super::tier::Tier;

/// Our own binary, as it is started inside the sandbox: `program arguments… <launch> -- command…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// The binary.
    pub program: PathBuf,
    /// What makes it the launcher, for example `__launch`.
    pub arguments: Vec<OsString>,
}

/// What the launcher is told, as JSON in its arguments. It holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The walls around it.
    pub tier: Tier,
    /// The profile, with canonical paths.
    pub profile: Profile,
}

/// A command, ready to be started in its sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The program to start.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// The tier that holds it, for the record.
    pub tier: Tier,
    /// Paths that should have been pinned and do not exist: look at them afterwards.
    pub unpinned: Vec<PathBuf>,
}

/// Plans the start of a command. An error means that the sandbox would not hold what the profile says.
pub fn plan(
    launcher: &Launcher,
    tier: Tier,
    profile: &Profile,
    command: &[OsString],
) -> Result<LaunchPlan, SandboxError> {
    let mode = profile.mode;
    let mut profile = profile.clone();
    let mut unpinned = Vec::new();
    let (program, arguments) = match (mode, tier) {
        (Mode::DangerFullAccess, _) => {
            let (program, arguments) = command.split_first().ok_or(SandboxError::Unavailable { mode })?;
            (PathBuf::from(program), arguments.to_vec())
        }
        (_, Tier::None) => return Err(SandboxError::Unavailable { mode }),
        (_, Tier::Full | Tier::Landlock | Tier::Seatbelt) => {
            unpinned = canonical(&mut profile)?;
            contained(tier, launcher, &profile, command)?
        }
    };
    let mut environment = profile.environment.clone();
    environment.retain(|(name, _)| !matches!(name.as_str(), "HOME" | "TMPDIR"));
    for (name, path) in [("HOME", &profile.home), ("TMPDIR", &profile.temporary)] {
        environment.push((name.to_owned(), path.to_string_lossy().into_owned()));
    }
    Ok(LaunchPlan {
        program,
        arguments,
        environment,
        cwd: profile.workspace,
        tier: if mode == Mode::DangerFullAccess {
            Tier::None
        } else {
            tier
        },
        unpinned,
    })
}

fn contained(
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    command: &[OsString],
) -> Result<(PathBuf, Vec<OsString>), SandboxError> {
    check(tier, profile)?;
    match tier {
        #[cfg(target_os = "linux")]
        Tier::Full => {
            let mut arguments = super::bubblewrap::arguments(launcher, profile);
            arguments.push(launcher.program.clone().into());
            arguments.extend(inside(tier, launcher, profile, command)?);
            Ok((super::bubblewrap::PROGRAM.into(), arguments))
        }
        #[cfg(target_os = "linux")]
        Tier::Landlock => Ok((
            launcher.program.clone(),
            inside(tier, launcher, profile, command)?,
        )),
        Tier::Seatbelt => Ok((seatbelt::PROGRAM.into(), seatbelt::arguments(profile, command))),
        _ => Err(SandboxError::Unavailable { mode: profile.mode }),
    }
}

/// The launcher's own arguments.
#[cfg(target_os = "linux")]
fn inside(
    tier: Tier,
    launcher: &Launcher,
    profile: &Profile,
    command: &[OsString],
) -> Result<Vec<OsString>, SandboxError> {
    let launch = Launch {
        tier,
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
    let must_pin = profile.mode == Mode::WorkspaceWrite && profile.pinning == Pinning::Required;
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

/// The folders that may be written in this mode.
pub(super) fn writable_paths(profile: &Profile) -> Vec<&PathBuf> {
    let mut paths = vec![&profile.home, &profile.temporary];
    if profile.mode == Mode::WorkspaceWrite {
        paths.push(&profile.workspace);
        paths.extend(&profile.writable);
    }
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
    // What is not there needs no hiding: it cannot be made either, outside the open folders.
    profile.hidden = profile.hidden.iter().filter_map(|path| real(path).ok()).collect();
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
