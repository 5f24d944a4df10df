//! Landlock rules: which files the command may open. The second barrier in tier full, the first in tier landlock.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::error::SandboxError;
use super::plan::{Launch, open_paths, writable_paths};
use super::profile::{Network, Profile};
use super::shells::{REAL, SANDBOX_FILE};
use super::tier::Tier;
use super::visible::SYSTEM;

/// Minimum version: older ones do not restrict `truncate`.
const NEEDED: ABI = ABI::V3;
/// The newest version that is used if the kernel has it.
const WANTED: ABI = ABI::V6;

/// Devices that every command may write.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];
/// Private to bubblewrap, empty at the start and removed at the end; in tier landlock they would be the user's.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/dev/pts", "/dev/ptmx"];

/// Restricts this process permanently.
pub(super) fn apply(launch: &Launch) -> Result<(), SandboxError> {
    let refused = |source| SandboxError::wall_refused("Landlock", source);
    let status = ruleset(launch)
        .map_err(refused)?
        .restrict_self()
        .map_err(|error| refused(error.into()))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(SandboxError::wall_refused("Landlock", "not enforced"));
    }
    Ok(())
}

/// Enters a nested Landlock domain for a shell of an agent. It forbids access to processes outside it, and writing the
/// agent's home except the shell's `own` folder. If the workspace is read-only and the kernel supports it, it also
/// forbids signals to processes outside.
pub(super) fn nest(profile: &Profile, own: &Path) -> Result<(), SandboxError> {
    let refused =
        |source: Box<dyn std::error::Error + Send + Sync>| SandboxError::wall_refused("Landlock", source);
    let ruleset = nested_ruleset(profile, own).map_err(refused)?;
    ruleset.restrict_self().map_err(|error| refused(error.into()))?;
    Ok(())
}

fn nested_ruleset(
    profile: &Profile,
    own: &Path,
) -> Result<RulesetCreated, Box<dyn std::error::Error + Send + Sync>> {
    let writing = AccessFs::from_write(WANTED);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing)?;
    let writable = writable_paths(profile);
    // A signal opens node's debugger. An agent that writes the workspace may end servers that an earlier shell started.
    if !writes_workspace(profile) {
        ruleset = ruleset.scope(Scope::Signal)?;
    }
    let mut created = ruleset.create()?;
    let folders = PRIVATE.iter().map(Path::new);
    let folders = folders.chain(writable.into_iter().map(PathBuf::as_path));
    // A rule opens everything below a folder: one that contains the agent's home stays closed, unless it is the
    // workspace.
    let folders = folders.filter(|folder| *folder == profile.workspace || !profile.home.starts_with(folder));
    for path in DEVICES.iter().map(Path::new).chain(folders).chain([own]) {
        created = allow(created, path, writing)?;
    }
    Ok(created)
}

/// Whether the command may write the folder that it works in.
pub(super) fn writes_workspace(profile: &Profile) -> bool {
    writable_paths(profile).contains(&&profile.workspace)
}

/// The newest version of Landlock that the kernel supports; 0 without Landlock. Determined once, because the kernel
/// does not change while this process runs.
pub(super) fn abi() -> u8 {
    static GRANTED: OnceLock<u8> = OnceLock::new();
    *GRANTED.get_or_init(supported_abi)
}

/// The same as [`abi`], determined feature by feature.
fn supported_abi() -> u8 {
    let has_files = |abi: ABI| {
        let hard = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        hard.handle_access(AccessFs::from_all(abi))
            .and_then(Ruleset::create)
            .is_ok()
    };
    let has_net = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessNet::from_all(ABI::V4))
        .and_then(Ruleset::create)
        .is_ok();
    let has_scope = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::from_all(ABI::V6))
        .and_then(Ruleset::create)
        .is_ok();
    let features = [
        has_files(ABI::V1),
        has_files(ABI::V2),
        has_files(ABI::V3),
        has_net,
        has_files(ABI::V5),
        has_scope,
    ];
    let n_features = features.into_iter().take_while(|has| *has).count();
    u8::try_from(n_features).unwrap_or_default()
}

fn ruleset(launch: &Launch) -> Result<RulesetCreated, Box<dyn std::error::Error + Send + Sync>> {
    let profile = &launch.profile;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?;
    let gateway = match (launch.tier, profile.network) {
        (_, Network::None) => {
            ruleset = ruleset.handle_access(AccessNet::from_all(WANTED))?;
            None
        }
        // The network is shared: allow only connections to the gateway's port, and no listening.
        (Tier::Landlock, Network::Gateway { port }) => {
            ruleset = ruleset.handle_access(AccessNet::from_all(WANTED))?;
            Some(port)
        }
        // The command has its own network, with only the gateway and its own servers in it.
        (_, Network::Gateway { .. } | Network::Open) => None,
    };
    let mut created = ruleset.create()?;
    if let Some(port) = gateway {
        created = created.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    let read = AccessFs::from_read(WANTED);
    let all = AccessFs::from_all(WANTED);
    for path in SYSTEM.iter().map(Path::new) {
        if profile.hidden.iter().any(|hidden| hidden.starts_with(path)) {
            // Names may be listed; a rule for the whole folder would open the hidden paths in it.
            created = allow(created, path, AccessFs::ReadDir.into())?;
        }
        for shown in around(path, &profile.hidden) {
            created = allow(created, &shown, read)?;
        }
    }
    for path in DEVICES {
        created = allow(created, Path::new(path), all)?;
    }
    if launch.tier == Tier::Full {
        for path in [REAL, SANDBOX_FILE] {
            created = allow(created, Path::new(path), read)?;
        }
        for path in PRIVATE {
            created = allow(created, Path::new(path), all)?;
        }
    }
    for path in open_paths(profile) {
        created = allow(created, path, read)?;
    }
    for path in writable_paths(profile) {
        created = allow(created, path, all)?;
    }
    Ok(created)
}

/// A folder without its hidden paths: the folder itself, or the visible entries in it.
fn around(path: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.flat_map(|entry| around(&entry.path(), hidden)).collect()
}

/// Opens a path, if it exists; a plain file gets only the rights that apply to files.
fn allow(
    created: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Box<dyn std::error::Error + Send + Sync>> {
    let Ok(descriptor) = PathFd::new(path) else {
        return Ok(created);
    };
    let access = if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(WANTED)
    };
    Ok(created.add_rule(PathBeneath::new(descriptor, access))?)
}
