//! Ends what a shell leaves behind, where the agent only reads its workspace.
//!
//! # Theory of operation
//!
//! A test that a reviewer runs can leave a process in the background, which writes the review after the reviewer did. So
//! where the workspace is only read, a shell is three processes of our own binary, told apart by the names that they go by:
//! what the agent started waits and passes signals on; a keeper in a process group of its own adopts every orphan, and
//! kills all that is left when the shell ended or whoever started it was killed; the third becomes the shell. The first two
//! are not in the domain of the shell: what runs in there can neither reach into them nor send them signals (from Landlock
//! ABI 6 on). Agents that write their workspace start servers by shells, so they keep what they started.
//!
//! `/tmp` and its like are made empty for each shell as well; see [`renew`].

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

/// The name that a keeper goes by. Its arguments are the number of its parent, the group of the shell, and what a shell has.
pub(super) const KEEPER: &str = "gemicro-shell-keeper";
/// The name that a kept shell goes by until it is one. Its arguments are the shell's own name and arguments.
pub(super) const KEPT: &str = "gemicro-kept-shell";

/// What an agent may send to a shell.
const PASSED_ON: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
/// What the kernel sends to a keeper whose parent was killed.
const ABANDONED: Signal = Signal::POWER;

/// Folders that all shells of an agent see.
const COMMON: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Beside the folders of shells, where no shell writes: held by everyone who keeps one, and what was in the common folders
/// before the first.
const LOCK: &str = "lock";
const BEFORE: &str = "before.json";

/// Starts a keeper for a shell, waits for it and ends as it ended.
pub(super) fn watch(own: &Path, name: &OsStr, arguments: &[OsString]) -> SandboxError {
    let watched = || -> std::io::Result<Infallible> {
        let signals = Signals::new(PASSED_ON)?;
        let mut words: Vec<OsString> = vec![
            std::process::id().to_string().into(),
            rustix::process::getpgrp().as_raw_nonzero().to_string().into(),
            name.to_owned(),
        ];
        words.extend_from_slice(arguments);
        // In a group of its own: whoever kills ours with everything in it has to leave the keeper.
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

/// Keeps a shell until nothing of it is left, and ends as it ended.
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
            return Err(std::io::Error::other("whoever started the shell is gone"));
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
        Err(source) => SandboxError::wall_refused("a keeper of a shell", source),
    }
}

fn pass_on(mut signals: Signals, pid: u32) {
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match Signal::from_named_raw(signal) {
                Some(signal) if signal == ABANDONED => keeper::end_all(),
                Some(signal) => {
                    // Gone already: whoever waits for it will see.
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

/// Ends as another process did, with the same code or by the same signal.
fn end_like(status: Option<WaitStatus>) -> std::io::Result<Infallible> {
    let signal = status.and_then(WaitStatus::terminating_signal);
    if let Some(signal) = signal {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        std::process::exit(128 + signal);
    }
    std::process::exit(status.and_then(WaitStatus::exit_status).unwrap_or(1))
}

/// Empties the folders that all shells see of what earlier shells left there, unless another shell is at work now: what
/// was there before the first is the agent's own. Gives what shows others that a shell is at work.
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

/// Forgets what was there before: for the start of an agent, whose folders are new.
pub(super) fn forget(profile: &Profile) {
    let _ = std::fs::remove_file(Profile::shells_in(&profile.home).join(BEFORE));
}

fn common() -> impl Iterator<Item = PathBuf> {
    let entries = COMMON.into_iter().flat_map(std::fs::read_dir).flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Removes what nobody uses any more, whatever its modes are.
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
