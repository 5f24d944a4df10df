//! Ends the processes that a shell leaves behind, if the agent's workspace is read-only.
//!
//! # Theory of operation
//!
//! A test that a reviewer runs can leave a process in the background, which changes the review after the reviewer wrote
//! it. So if the workspace is read-only, a shell consists of three processes of gemicro's own binary, distinguished by
//! their names: the one that the agent started waits and forwards signals; a keeper in its own process group adopts
//! every orphan, and kills all remaining processes when the shell has ended or the process that started it was killed;
//! the third becomes the shell. The first two are outside the shell's Landlock domain: programs inside it can neither
//! access them nor send them signals (from Landlock ABI 6 on). Agents that write their workspace start servers through
//! shells, so their processes are kept.
//!
//! `/tmp` and similar folders are also emptied for each shell; see [`renew`].

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use super::error::SandboxError;
use super::profile::Profile;
use super::shells::open_up;
use super::{keeper, spawn};

/// The process name of a keeper. Its arguments: its parent's process id, the shell's process group, and the shell's own
/// arguments.
pub(super) const KEEPER: &str = "gemicro-shell-keeper";
/// The process name of a kept shell until it becomes one. Its arguments are the shell's own name and arguments.
pub(super) const KEPT: &str = "gemicro-kept-shell";

/// Signals that an agent may send to a shell.
const PASSED_ON: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
/// The signal that the kernel sends to a keeper whose parent was killed.
const ABANDONED: Signal = Signal::POWER;

/// Folders that all shells of an agent see.
const COMMON: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Files beside the folders of shells, where no shell writes: a lock held by every keeper, and the list of files that
/// were in the common folders before the first shell.
const LOCK: &str = "lock";
const BEFORE: &str = "before.json";

/// Starts a keeper for a shell, waits for it and exits in the same way.
pub(super) fn watch(own: &Path, name: &OsStr, arguments: &[OsString]) -> SandboxError {
    let watched = || -> std::io::Result<Infallible> {
        let signals = Signals::new(PASSED_ON)?;
        let mut words: Vec<OsString> = vec![
            std::process::id().to_string().into(),
            rustix::process::getpgrp().as_raw_nonzero().to_string().into(),
            name.to_owned(),
        ];
        words.extend_from_slice(arguments);
        // In its own group, so that killing our whole process group does not kill the keeper.
        let pid = spawn::again(own, KEEPER, &words, 0)?;
        keeper::release_streams()?;
        pass_on(signals, pid);
        let status = loop {
            match rustix::process::waitpid(as_pid(pid), WaitOptions::empty()) {
                Ok(Some((_, status))) => break status,
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        };
        end_like(Some(status))
    };
    keeper_refused(watched())
}

/// Keeps a shell until all its processes have ended, and exits in the same way.
pub(super) fn keep(own: &Path, words: &[OsString], profile: &Profile) -> SandboxError {
    let kept = || -> std::io::Result<Infallible> {
        let [parent, group, shell @ ..] = words else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        let number = |word: &OsString| word.to_str().and_then(|word| word.parse::<i32>().ok());
        let signals = Signals::new(PASSED_ON.into_iter().chain([ABANDONED.as_raw()]))?;
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        rustix::process::set_parent_process_death_signal(Some(ABANDONED))?;
        let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        if now != number(parent) {
            return Err(std::io::Error::other(
                "the process that started this shell has ended",
            ));
        }
        // Held for as long as this process lives.
        let _lock = renew(profile);
        let group = number(group).ok_or(std::io::ErrorKind::InvalidInput)?;
        let pid = spawn::again(own, KEPT, shell, group)?;
        keeper::release_streams()?;
        pass_on(signals, pid);
        end_like(keeper::collect(pid))
    };
    keeper_refused(kept())
}

fn keeper_refused(ended: std::io::Result<Infallible>) -> SandboxError {
    match ended {
        Ok(never) => match never {},
        Err(source) => SandboxError::wall_refused("the supervising process of a shell", source),
    }
}

fn pass_on(mut signals: Signals, pid: u32) {
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match Signal::from_named_raw(signal) {
                Some(signal) if signal == ABANDONED => keeper::end_all(),
                Some(signal) => {
                    // If it is gone already, the waiting process will notice.
                    let _ = as_pid(pid).map(|pid| rustix::process::kill_process(pid, signal));
                }
                None => {}
            }
        }
    });
}

fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Exits as another process did, with the same code or by the same signal.
fn end_like(status: Option<WaitStatus>) -> std::io::Result<Infallible> {
    let signal = status.and_then(WaitStatus::terminating_signal);
    if let Some(signal) = signal {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(128 + signal);
    }
    std::process::exit(status.and_then(WaitStatus::exit_status).unwrap_or(1))
}

/// Removes files that earlier shells left in the common folders, unless another shell is running. Files from before the
/// first shell belong to the agent. Returns the lock that shows other shells that one is running.
fn renew(profile: &Profile) -> Option<File> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(Profile::shells_in(&profile.home).join(LOCK))
        .ok()?;
    match lock.try_lock() {
        Ok(()) => {
            let before = Profile::shells_in(&profile.home).join(BEFORE);
            let text = std::fs::read(&before).ok();
            match text.and_then(|text| serde_json::from_slice::<Vec<PathBuf>>(&text).ok()) {
                Some(own) => common()
                    .filter(|path| !own.contains(path))
                    .for_each(|path| remove(&path)),
                None => {
                    let own: Vec<PathBuf> = common().collect();
                    let _ = std::fs::write(before, serde_json::to_vec(&own).ok()?);
                }
            }
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
    }
    lock.lock_shared().ok()?;
    Some(lock)
}

/// Forgets the list of earlier files, when an agent starts and its folders are new.
pub(super) fn forget(profile: &Profile) {
    let _ = std::fs::remove_file(Profile::shells_in(&profile.home).join(BEFORE));
}

fn common() -> impl Iterator<Item = PathBuf> {
    let entries = COMMON.into_iter().flat_map(std::fs::read_dir).flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Removes files that are no longer used, whatever their modes are.
fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        let _ = open_up(path);
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            remove(&entry.path());
        }
        let _ = std::fs::remove_dir(path);
    } else {
        let _ = std::fs::remove_file(path);
    }
}
