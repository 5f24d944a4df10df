//! Process trees, read from `/proc`: which processes are children of which, and whether a process still runs.
//!
//! The main type is [`ProcessHandle`]. A process id alone is not enough: the system reuses it.

use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// Maximum time to end a process tree before giving up.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);

/// Identifies a process uniquely, even after gemicro restarts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessHandle {
    /// The process id, which the system reuses: only together with the two below is it unique.
    pub pid: u32,
    /// Its start time, in ticks since the system booted.
    pub started: u64,
    /// The id of that boot.
    pub boot: String,
}

impl ProcessHandle {
    /// The process that has this id now; `None` if there is none.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        Some(Self {
            pid,
            started: stat(pid)?.started,
            boot: boot()?.to_owned(),
        })
    }
}

/// Whether exactly this process still runs. One that ended and was not reaped yet does not count.
#[must_use]
pub fn still_running(handle: &ProcessHandle) -> bool {
    let is_same_boot = boot().is_none_or(|boot| boot == handle.boot);
    is_same_boot && stat(handle.pid).is_some_and(|stat| stat.started == handle.started && !stat.is_over())
}

/// Ends a process that an earlier gemicro left behind, and all its descendants. Blocks for at most a few seconds;
/// returns whether they all ended.
#[must_use]
pub fn end_leftover(handle: &ProcessHandle) -> bool {
    let until = Instant::now() + PATIENCE;
    // The descendants first: while their keeper runs, it adopts orphans, so they are found.
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

/// All running descendants of a process, without itself.
#[must_use]
pub fn descendants(pid: u32) -> Vec<u32> {
    // One pass over the process table, then parents are looked up in it, whatever its order.
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

/// Kills the children of a process one by one, each as soon as it is found, so that a process that only forks and exits
/// cannot win the race.
pub(super) fn kill_children(pid: u32) {
    each_child(pid, |child| signal(child, Signal::KILL));
}

fn signal(pid: u32, which: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // Gone already, or not ours: the next check will show.
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

/// The fields read from `/proc/<pid>/stat`.
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
    // The name is in parentheses and may contain anything, even parentheses.
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

/// The kernel's id of the current boot; read once.
fn boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(text.trim().to_owned())
    };
    BOOT.get_or_init(read).as_deref()
}
