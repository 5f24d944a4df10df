//! Measures the cost of a pipeline in gemicro itself: its own processor time for each step of the demo, without git,
//! checks and agents, and the duration of the whole demo.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde_json::Value;

use super::release::release_binary;
use super::samples::{Samples, at_most, milliseconds};
use crate::temporary::TemporaryFolder;

const RUNS: usize = 5;
const STEP_BAR: Duration = Duration::from_millis(50);
const DEMO_BAR: Duration = Duration::from_secs(20);
/// The unit of Linux process times, whatever its own clock does.
const TICK: Duration = Duration::from_millis(10);

/// Runs the demo several times and prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    let (mut steps, mut demos) = (Samples::default(), Samples::default());
    let (mut n_steps, mut others) = (0, Duration::ZERO);
    for _ in 0..RUNS {
        let demo = demo(&program)?;
        n_steps = demo.n_steps;
        others = demo.others;
        steps.push(demo.own / demo.n_steps);
        demos.push(demo.took);
    }
    println!(
        "  gemicro itself, for each of {n_steps} steps: {} {}",
        steps.spread(),
        at_most(steps.median(), STEP_BAR)
    );
    println!(
        "  git, checks, agents and sandboxes together, in one demo: {}",
        milliseconds(others)
    );
    println!(
        "  the whole demo: {} {}",
        demos.spread(),
        at_most(demos.median(), DEMO_BAR)
    );
    Ok(())
}

struct Demo {
    took: Duration,
    /// Processor time of the process itself.
    own: Duration,
    /// Processor time of all processes that it started.
    others: Duration,
    n_steps: u32,
}

fn demo(program: &Path) -> Result<Demo> {
    let place = TemporaryFolder::new()?;
    let events = place.path().join("events.jsonl");
    let started_at = Instant::now();
    let mut child = Command::new(program)
        .args(["demo", "--format", "jsonl", "--dir"])
        .arg(place.path().join("demo"))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&events)?)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let (own, others) = processor_time(&child)?;
    let took = started_at.elapsed();
    if !child.wait()?.success() {
        bail!("the demo failed: run `gemicro demo` to see why");
    }
    let events = std::fs::read_to_string(&events)?;
    let is_step = |line: &&str| {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        event["event_type"] == "step_completed"
    };
    let n_steps = events.lines().filter(is_step).count();
    if n_steps == 0 {
        bail!("the demo reported no step");
    }
    Ok(Demo {
        took,
        own,
        others,
        n_steps: u32::try_from(n_steps)?,
    })
}

/// Waits until a process ends, without reaping it, and returns the time of the process and of its children.
fn processor_time(child: &Child) -> Result<(Duration, Duration)> {
    waitid(
        WaitId::Pid(Pid::from_child(child)),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    )?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id()))?;
    // The program's name may contain anything but ends with the last bracket.
    let (_, fields) = stat.rsplit_once(')').context("its stat has no name")?;
    let ticks: Vec<u32> = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    let [user, system, user_of_others, system_of_others] = ticks[..] else {
        bail!("its stat has no times: {stat}");
    };
    Ok((TICK * (user + system), TICK * (user_of_others + system_of_others)))
}
