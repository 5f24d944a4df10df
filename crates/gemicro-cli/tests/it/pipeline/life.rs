//! A run that is watched event by event and killed where a test says.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::scene::Scene;

/// Nothing takes that long.
const LATE: Duration = Duration::from_secs(60);

/// A moment of a run: the first event of a kind about a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) kind: &'static str,
    pub(super) step: &'static str,
}

/// The beginning of a step.
pub(super) const fn started(step: &'static str) -> Moment {
    let kind = "step_started";
    Moment { kind, step }
}

/// The attempt at a step left a handle: its process runs.
pub(super) const fn handled(step: &'static str) -> Moment {
    Moment {
        kind: "step_handle",
        step,
    }
}

/// The end of a step.
pub(super) const fn completed(step: &'static str) -> Moment {
    let kind = "step_completed";
    Moment { kind, step }
}

/// One process that works on the run.
pub(super) struct Life {
    child: Child,
    events: mpsc::Receiver<Value>,
}

impl Life {
    /// Starts the run, or goes on with the newest one.
    pub(super) fn begin(scene: &Scene, arguments: &[&str]) -> Self {
        let mut child = scene
            .command(arguments)
            .args(["--format", "jsonl"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, events) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { child, events }
    }

    /// Waits for a moment; false where the process ends before.
    pub(super) fn reach(&self, moment: Moment) -> bool {
        self.reach_where(|event| event["event_type"] == moment.kind && event["data"]["step"] == moment.step)
    }

    /// Waits for an event; false where the process ends before.
    pub(super) fn reach_where(&self, mut is_it: impl FnMut(&Value) -> bool) -> bool {
        loop {
            match self.events.recv_timeout(LATE) {
                Ok(event) if is_it(&event) => return true,
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return false,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the event never came"),
            }
        }
    }

    /// Waits until there is a process of an agent that waits; its numbers.
    pub(super) fn agent(&self, scene: &Scene) -> Vec<Pid> {
        let program = scene.world.path("agents/gemini").display().to_string();
        crate::simulated::until("the agent", || {
            let found = running(&program);
            (!found.is_empty()).then_some(found)
        })
    }

    /// `kill -9`, and waits for it.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end: the exit code, and what it told people.
    pub(super) fn end(self) -> (i32, String) {
        let output = self.child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), words)
    }
}

/// `kill -9` of processes that are not our children.
pub(super) fn kill_all(pids: &[Pid]) {
    for pid in pids {
        // It may have gone with another one.
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// Processes whose command line names a program, but no process of gemicro itself.
fn running(program: &str) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let names: Vec<String> = line
            .split(|byte| *byte == 0)
            .map(|it| String::from_utf8_lossy(it).into_owned())
            .collect();
        // A shell that runs the script: `sh /path/gemini`.
        let is_agent =
            names.first().is_some_and(|it| it.ends_with("sh")) && names.iter().any(|it| it == program);
        let pid = entry.file_name().to_string_lossy().parse().ok()?;
        is_agent.then(|| Pid::from_raw(pid)).flatten()
    });
    pids.collect()
}
