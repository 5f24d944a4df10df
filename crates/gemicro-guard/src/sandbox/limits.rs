//! Limits, parent and privileges of the process that becomes the command.

use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::error::SandboxError;
use super::plan::Launch;
use super::tier::Tier;

/// Applies the limits, ties the process to its parent and drops privileges.
pub(super) fn apply(launch: &Launch) -> Result<(), SandboxError> {
    let refused =
        |source: rustix::io::Errno| SandboxError::wall_refused("setting the process limits", source);
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(refused)?;
    let is_orphan = rustix::process::getppid().is_none_or(|parent| parent.as_raw_nonzero().get() == 1);
    // Inside bubblewrap the parent is process 1 of its namespace.
    if is_orphan && launch.tier == Tier::Landlock {
        return Err(SandboxError::wall_refused(
            "the check of the parent process",
            "it ended before the command started",
        ));
    }
    // Fails only for a group leader, which has no terminal to lose: bubblewrap or the runner made it one.
    let _ = rustix::process::setsid();
    rustix::thread::set_no_new_privs(true).map_err(refused)?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).map_err(refused)?;
    let limits = launch.profile.limits;
    let wanted = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, limits.processes),
        (Resource::Fsize, limits.file_bytes),
        (Resource::As, limits.memory_bytes),
        (Resource::Nofile, limits.open_files),
    ];
    for (resource, most) in wanted {
        let Some(most) = most else {
            continue;
        };
        // An unprivileged process may only lower what it has.
        let most = rustix::process::getrlimit(resource)
            .maximum
            .map_or(most, |now| now.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        rustix::process::setrlimit(resource, limit).map_err(refused)?;
    }
    Ok(())
}
