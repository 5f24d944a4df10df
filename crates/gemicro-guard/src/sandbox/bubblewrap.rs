//! Builds the arguments of bubblewrap, up to the launcher. All of them were tested against attacks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::plan::{Launcher, writable_paths};
use super::profile::{Network, Profile};
use super::shells;

/// The distribution's own path: only it may be covered by the distribution's AppArmor profile.
pub(super) const PROGRAM: &str = "/usr/bin/bwrap";

/// Arguments that are always given. Without `--cap-drop ALL` root could remount everything writable.
const FIXED: &[&str] = &[
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/run",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/var/tmp",
];

/// One mount; deeper ones come later, so that they take precedence.
struct Mount<'a> {
    at: &'a Path,
    kind: MountKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MountKind {
    Hidden,
    Readable,
    Writable,
    Pinned,
}

/// The arguments before the launcher's program.
pub(super) fn arguments(launcher: &Launcher, profile: &Profile) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = FIXED.iter().map(OsString::from).collect();
    match profile.network {
        Network::None | Network::Gateway { .. } => arguments.push("--unshare-net".into()),
        Network::Open => {}
    }
    for mount in mounts(launcher, profile) {
        let at = mount.at.as_os_str().to_owned();
        match mount.kind {
            MountKind::Hidden if mount.at.is_dir() => arguments.extend(["--tmpfs".into(), at]),
            MountKind::Hidden => arguments.extend(["--ro-bind".into(), "/dev/null".into(), at]),
            MountKind::Readable | MountKind::Pinned => arguments.extend(["--ro-bind".into(), at.clone(), at]),
            MountKind::Writable => arguments.extend(["--bind".into(), at.clone(), at]),
        }
    }
    for shell in shells::system_shells(profile) {
        let (at, real) = (shell.clone().into_os_string(), shells::real(&shell).into());
        arguments.extend(["--ro-bind".into(), at.clone(), real]);
        arguments.extend(["--ro-bind".into(), launcher.program.clone().into(), at]);
    }
    arguments.extend(["--chdir".into(), profile.workspace.clone().into(), "--".into()]);
    arguments
}

fn mounts<'a>(launcher: &'a Launcher, profile: &'a Profile) -> Vec<Mount<'a>> {
    let writable = writable_paths(profile);
    let is_writable = |path: &PathBuf| writable.contains(&path);
    let shown = std::iter::once(&profile.workspace)
        .chain(&profile.writable)
        .chain(&profile.readable)
        .chain([&launcher.program])
        .filter(|path| !is_writable(path));
    let hidden = profile.hidden.iter().chain([&profile.user_home]);
    let kept = profile
        .pinned
        .iter()
        .flat_map(|pin| way_to(pin, profile, &writable));
    let all = [
        (
            MountKind::Hidden,
            hidden.map(PathBuf::as_path).collect::<Vec<_>>(),
        ),
        (MountKind::Readable, shown.map(PathBuf::as_path).collect()),
        (
            MountKind::Writable,
            writable.iter().map(|path| path.as_path()).collect(),
        ),
        (MountKind::Writable, kept.collect()),
        (
            MountKind::Pinned,
            profile.pinned.iter().map(PathBuf::as_path).collect(),
        ),
    ];
    let mut mounts: Vec<Mount<'a>> = all
        .into_iter()
        .flat_map(|(kind, paths)| paths.into_iter().map(move |at| Mount { at, kind }))
        .collect();
    mounts.sort_by_key(|mount| (mount.at.components().count(), mount.at, mount.kind));
    mounts.dedup_by_key(|mount| (mount.at, mount.kind));
    mounts
}

/// The folders between a writable folder and a pinned path in it. Each becomes a mount too: otherwise it could be moved
/// away with the pinned path, and another be created in its place.
fn way_to<'a>(pin: &'a Path, profile: &Profile, writable: &[&PathBuf]) -> Vec<&'a Path> {
    let mut way = Vec::new();
    for folder in pin.ancestors().skip(1) {
        if writable.iter().any(|root| *root == folder) {
            return way;
        }
        let mut shut = profile
            .pinned
            .iter()
            .chain(&profile.hidden)
            .chain(&profile.readable);
        if shut.any(|other| other == folder) {
            break;
        }
        way.push(folder);
    }
    Vec::new()
}
