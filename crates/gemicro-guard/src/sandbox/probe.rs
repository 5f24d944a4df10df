//! Finds out which sandbox tiers work on this machine, by starting a command in each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SandboxError;
use super::plan::{Launcher, plan};
use super::profile::{Network, PinnedPath, Profile, ResourceLimits, Shells, WriteMode};
use super::spawn;
use super::tier::Tier;

/// The exit code of a probe that ran and found the sandbox working.
const STANDING: i32 = 42;

/// The result, to be recorded and for `gemicro doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxProbe {
    /// The best tier that works.
    pub tier: Tier,
    /// The newest Landlock version that the kernel supports, up to the newest we use (6); 0 without Landlock.
    pub landlock_abi: u8,
    /// Whether bubblewrap could start a command, and its sandbox worked.
    pub bubblewrap: bool,
    /// Whether Landlock and seccomp without bubblewrap worked.
    pub landlock: bool,
}

/// Tries the tiers. `scratch` is an empty folder that this function may fill and the caller removes.
///
/// # Errors
/// When the folder cannot be used: a tier that could not be tried does not count as missing.
pub fn probe(launcher: &Launcher, scratch: &Path) -> std::io::Result<SandboxProbe> {
    let holds = |tier: Tier| try_tier(launcher, scratch, tier);
    let (full, landlock, seatbelt) = if cfg!(target_os = "linux") {
        // Tried twice: a momentary failure must not mean a weaker sandbox for the lifetime of this process.
        let full = holds(Tier::Full)? || holds(Tier::Full)?;
        (full, holds(Tier::Landlock)?, false)
    } else {
        (false, false, cfg!(target_os = "macos") && holds(Tier::Seatbelt)?)
    };
    let tier = match (full, landlock, seatbelt) {
        (true, _, _) => Tier::Full,
        (_, true, _) => Tier::Landlock,
        (_, _, true) => Tier::Seatbelt,
        _ => Tier::None,
    };
    Ok(SandboxProbe {
        tier,
        landlock_abi: abi(),
        bubblewrap: full,
        landlock,
    })
}

/// Starts a shell that looks for a hidden file and writes where it must not.
fn try_tier(launcher: &Launcher, scratch: &Path, tier: Tier) -> std::io::Result<bool> {
    // The write may seem to work, in an empty folder that hides the real one: only the view from outside counts.
    const SCRIPT: &str = "cat \"$1/secret\" && exit 1; echo x > \"$1/outside\"; \
        cd \"$2\" && echo x > inside && exit 42; exit 1";
    let folder = |name: &str| -> std::io::Result<PathBuf> {
        let path = std::path::absolute(scratch)?.join(name);
        std::fs::create_dir_all(&path)?;
        Ok(path)
    };
    let (user_home, workspace) = (folder("user")?, folder("work")?);
    std::fs::write(user_home.join("secret"), "secret")?;
    let inside = workspace.join("inside");
    if inside.exists() {
        std::fs::remove_file(&inside)?;
    }
    let profile = Profile {
        mode: WriteMode::WorkspaceWrite,
        workspace: workspace.clone(),
        writable: Vec::new(),
        pinned: Vec::new(),
        pinning: PinnedPath::Required,
        shells: Shells::Apart,
        readable: Vec::new(),
        hidden: Vec::new(),
        user_home: user_home.clone(),
        home: folder("home")?,
        temporary: folder("tmp")?,
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    };
    let command: [OsString; 6] = [
        "/bin/sh".into(),
        "-c".into(),
        SCRIPT.into(),
        "probe".into(),
        user_home.clone().into(),
        workspace.clone().into(),
    ];
    let plan = match plan(launcher, tier, &profile, &command) {
        Ok(plan) => plan,
        Err(SandboxError::Path { source, .. }) => return Err(source),
        Err(_) => return Ok(false),
    };
    let is_standing = spawn::exit_code(&plan) == Some(STANDING);
    // From outside: the file is in the workspace, and nowhere else.
    Ok(is_standing && inside.exists() && !user_home.join("outside").exists())
}

/// The newest Landlock version that the kernel grants.
#[cfg(target_os = "linux")]
pub(super) fn abi() -> u8 {
    super::rules::abi()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn abi() -> u8 {
    0
}
