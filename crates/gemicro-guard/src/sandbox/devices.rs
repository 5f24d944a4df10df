//! Protects the machine's device nodes from changes in a sandbox.
//!
//! Bubblewrap exposes the machine's own nodes, which belong to root: root in a sandbox could change their modes for
//! everyone. So as root, gemicro first makes them read-only mounts in its own mount namespace, which bubblewrap then
//! exposes; bubblewrap's own read-only option would make the devices unusable. Writing to a device is not a write to
//! its node.

use std::ffi::OsString;

use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use rustix::thread::UnshareFlags;

use super::error::SandboxError;
use super::spawn;

/// The devices that bubblewrap exposes.
const SHOWN: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Whether the devices need protection: only their owner, root, could change them.
pub(super) fn are_ours() -> bool {
    rustix::process::geteuid().is_root()
}

/// Makes the devices read-only for this process, and becomes bubblewrap. Returns only on failure.
pub(super) fn run(command: &[OsString]) -> SandboxError {
    // Root in an unprivileged container does not own the machine's nodes: it has its own.
    if own_mounts().is_ok() {
        for device in SHOWN {
            let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
            let made = mount_bind(device, device).and_then(|()| mount_remount(device, read_only, ""));
            match made {
                Ok(()) | Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return SandboxError::wall_refused("making devices read-only", error),
            }
        }
    }
    spawn::exec(command)
}

/// Enters a mount namespace, so that these mounts are not visible outside.
fn own_mounts() -> rustix::io::Result<()> {
    unshare_mounts()?;
    mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )
}

#[expect(
    unsafe_code,
    reason = "a flag that is not used here could close descriptors of others"
)]
fn unshare_mounts() -> rustix::io::Result<()> {
    // SAFETY: only `CLONE_FILES` takes descriptors away from their owners; this asks for a mount namespace alone, in a
    // process with one thread.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }
}
