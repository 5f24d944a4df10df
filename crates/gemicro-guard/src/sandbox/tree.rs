//! Families of processes, read from `/proc`: who is whose child, and who is still the one it was.
//!
//! The main type is [`ProcessHandle`]. A number alone names nobody: the system uses it again.

use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// How often a family is asked to end before it is given up.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);

/// A process that can be found again, also after a restart of ours, and never mixed up with another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessHandle {
    /// The process id, which the system reuses: only together with the two below is it unique.
    pub pid: u32,
    /// When it began, in ticks since the system did.
    pub started: u64,
    /// Which start of the system that was.
    pub boot: String,
}

impl ProcessHandle {
    /// The process that has this number now; `None` when there is none.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        Some(Self {
            pid,
            started: stat(pid)?.started,
            boot: boot()?.to_owned(),
        })
    }
}

/// Whether that very process still runs. One that ended and was not yet collected does not.
#[must_use]
pub fn still_running(handle: &ProcessHandle) -> bool {
    let is_same_boot = boot().is_none_or(|boot| boot == handle.boot);
    is_same_boot && stat(handle.pid).is_some_and(|stat| stat.started == handle.started && !stat.is_over())
}

/// Ends what an earlier gemicro left behind: the process and all its descendants. Blocks for a few seconds at
/// most; returns whether nothing is left.
#[must_use]
pub fn end_leftover(handle: &ProcessHandle) -> bool {
    let until = Instant::now() + PATIENCE;
    // The descendants first: while their keeper lives, orphans come back to it and are found.
    while still_running(handle) && Instant::now() < until {
        if signal_descendants(handle.pid, Signal::KILL) == 0 {
            signal(handle.pid, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
    }
    !still_running(handle)
}

/// The children of a process.
#[must_use]
pub fn children(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    each_child(pid, |child| found.push(child));
    found
}

/// All descendants of a process that have not ended, itself not among them.
#[must_use]
pub fn descendants(pid: u32) -> Vec<u32> {
    // One pass over the table: parents are looked up in it, whatever order it has.
    let table: Vec<(u32, Stat)> = processes().filter_map(|pid| Some((pid, stat(pid)?))).collect();
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        at += 1;
        let of_parent = table.iter().filter(|(_, stat)| stat.parent == parent);
        let new: Vec<u32> = of_parent
            .map(|(pid, _)| *pid)
            .filter(|pid| !found.contains(pid))
            .collect();
        found.extend(new);
    }
    let is_alive = |pid: &u32| table.iter().any(|(other, stat)| other == pid && !stat.is_over());
    found.into_iter().skip(1).filter(is_alive).collect()
}

/// Sends a signal to all descendants of a process; returns how many there were.
pub fn signal_descendants(pid: u32, which: Signal) -> usize {
    let found = descendants(pid);
    for pid in &found {
        signal(*pid, which);
    }
    found.len()
}

/// Kills the children of a process one by one, each as soon as it is seen: a process that does nothing but
/// fork and leave must not win the race.
pub(super) fn kill_children(pid: u32) {
    each_child(pid, |child| signal(child, Signal::KILL));
}

fn signal(pid: u32, which: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // Gone already, or not ours: whoever looks next will see.
        let _ = kill_process(pid, which);
    }
}

fn each_child(parent: u32, mut found: impl FnMut(u32)) {
    for pid in processes() {
        if stat(pid).is_some_and(|stat| stat.parent == parent && !stat.is_over()) {
            found(pid);
        }
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What is read of `/proc/<pid>/stat`.
struct Stat {
    state: char,
    parent: u32,
    started: u64,
}

impl Stat {
    fn is_over(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

fn stat(pid: u32) -> Option<Stat> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // The name stands in parentheses and may hold anything, parentheses too.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat {
        state,
        parent,
        started,
    })
}

/// The kernel's name for the time since it started; it is read once.
fn boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(text.trim().to_owned())
    };
    BOOT.get_or_init(read).as_deref()
}
