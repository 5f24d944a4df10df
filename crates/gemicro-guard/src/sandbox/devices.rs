//! Devices of the machine that nobody in a sandbox changes.
//!
//! Bubblewrap shows the machine's own nodes, and root owns them: it could change their modes for everybody. Where we are
//! root, they are made read-only mounts in a mount namespace of our own first, which bubblewrap then shows; its own way to
//! do that would shut the devices. What is written to a device is not written to its node.

use std::ffi::OsString;

use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use rustix::thread::UnshareFlags;

use super::error::SandboxError;
use super::spawn;

/// Those that bubblewrap shows.
const SHOWN: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Whether there is anything to protect: only their owner could change them.
pub(super) fn are_ours() -> bool {
    rustix::process::geteuid().is_root()
}

/// Makes the devices read-only for this process, and becomes bubblewrap. Returns only when that is not possible.
pub(super) fn run(command: &[OsString]) -> SandboxError {
    // Root in a container without any rights owns nothing of the machine: it has its own nodes.
    if own_mounts().is_ok() {
        for device in SHOWN {
            let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
            let made = mount_bind(device, device).and_then(|()| mount_remount(device, read_only, ""));
            match made {
                Ok(()) | Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return SandboxError::wall_refused("read-only devices", error),
            }
        }
    }
    spawn::exec(command)
}

/// Enters a mount namespace: nothing that is mounted here is seen outside.
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
