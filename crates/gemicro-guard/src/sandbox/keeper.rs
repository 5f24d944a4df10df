//! The keeper: a process that waits until all processes of a command have ended.
//!
//! # Theory of operation
//!
//! gemicro's own binary stays as the parent of the planned command: bubblewrap in tier full, the launcher in tier
//! landlock, the command itself without a sandbox. It adopts every orphan among the descendants, so that no process
//! escapes by leaving its session or its parent. When the command or gemicro ends, or gemicro asks for it, the keeper
//! kills its children repeatedly until the kernel reports that it has none; then it reports how the command ended and
//! exits. In tier full the namespace ends with its first process in any case; the keeper waits for that. It is outside
//! the sandbox: from Landlock ABI 6 on the command cannot send it a signal; before, in tier landlock, a hostile command
//! can kill it and survive.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{WaitOptions, WaitStatus};

use super::control::{CommandExit, ControlPeer};
use super::error::SandboxError;
use super::spawn::KeeperStart;
use super::tier::Tier;
use super::{descriptors, spawn, tree};

/// Interval at which remaining processes are searched and killed again.
const PAUSE: Duration = Duration::from_millis(10);

/// Starts the command, in a sandbox through the launcher, and stays until all its processes have ended. Returns only
/// when it could not be started.
pub(super) fn run(tier: Tier, command: &[OsString]) -> SandboxError {
    match ControlPeer::from_stdin() {
        Ok(control) => keep_or_tell(&Arc::new(control), tier, KeeperStart::here(command)),
        Err(error) => SandboxError::wall_refused("the channel to gemicro", error),
    }
}

/// Waits for an order, then does what [`run`] does, so that the caller need not wait for this program to start. Exits
/// when no order will come.
pub(super) fn wait() -> SandboxError {
    let control = match ControlPeer::from_stdin() {
        Ok(control) => Arc::new(control),
        Err(error) => return SandboxError::wall_refused("the channel to gemicro", error),
    };
    match control.order() {
        Ok(Some(order)) => {
            let command: Vec<OsString> = order.command.iter().map(OsString::from).collect();
            let start = KeeperStart {
                command: &command,
                environment_and_folder: Some((&order.environment, &order.cwd)),
            };
            keep_or_tell(&control, order.tier, start)
        }
        Ok(None) => std::process::exit(0),
        Err(error) => SandboxError::wall_refused("receiving the command", error),
    }
}

fn keep_or_tell(control: &Arc<ControlPeer>, tier: Tier, start: KeeperStart<'_>) -> SandboxError {
    match keep(control, tier, start) {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            control.report_failure((&error).into(), &error.with_sources());
            error
        }
    }
}

fn keep(control: &Arc<ControlPeer>, tier: Tier, start: KeeperStart<'_>) -> Result<(), SandboxError> {
    let refused = |source: std::io::Error| SandboxError::wall_refused("the supervising process", source);
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| refused(error.into()))?;
    // Detaches from the terminal, and from signals to gemicro's process group.
    rustix::process::setsid().map_err(|error| refused(error.into()))?;
    let stdin = match tier {
        Tier::None => {
            descriptors::close_on_exec()?;
            control.ready(None)
        }
        // The launcher gets its standard input from gemicro itself.
        Tier::Full | Tier::Landlock | Tier::Seatbelt => control.copy(),
    };
    let pid = spawn::child(start, stdin.map_err(refused)?)?;
    release_streams().map_err(refused)?;

    let listening = Arc::clone(control);
    std::thread::spawn(move || {
        listening.wait_for_end();
        end_all();
    });

    let exit = collect(pid).and_then(|status| exit_of(tier, status));
    control.report_end(exit.unwrap_or(CommandExit::Signal(rustix::process::Signal::KILL.as_raw())));
    Ok(())
}

/// Waits for a child, then kills all processes that it left until there are none; returns how the child ended.
pub(super) fn collect(pid: u32) -> Option<WaitStatus> {
    let (mut exit, mut how) = (None, WaitOptions::empty());
    loop {
        // Every child that ends, killed or not, is reaped here; adopted processes are children too.
        match rustix::process::wait(how) {
            Ok(Some((ended, status))) if u32::try_from(ended.as_raw_nonzero().get()) == Ok(pid) => {
                exit = Some(status);
                // Usually no process is left, and no search is needed.
                how = WaitOptions::NOHANG;
            }
            Ok(None) => {
                std::thread::spawn(end_all);
                how = WaitOptions::empty();
            }
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            // No child is left, adopted ones included.
            Err(_) => return exit,
        }
    }
}

/// Kills all children repeatedly: each that ends may leave orphans to this process.
pub(super) fn end_all() {
    loop {
        tree::kill_children(std::process::id());
        std::thread::sleep(PAUSE);
    }
}

fn exit_of(tier: Tier, status: WaitStatus) -> Option<CommandExit> {
    match (tier, status.exit_status()) {
        // Bubblewrap reports a signal as a shell does. Only signals that usually end programs count: higher codes are
        // the CLIs' own.
        (Tier::Full, Some(code @ (129..=143 | 159))) => Some(CommandExit::Signal(code - 128)),
        (_, Some(code)) => Some(CommandExit::Code(code)),
        (_, None) => status.terminating_signal().map(CommandExit::Signal),
    }
}

/// Releases the command's streams: they must end when the command does.
pub(super) fn release_streams() -> std::io::Result<()> {
    let nothing = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}
