//! Measures `gemicro --version`: wall time of each run, processor time of all.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::release::release_binary;

const RUNS: u32 = 50;
const WALL_BAR: Duration = Duration::from_millis(15);
const CPU_BAR: Duration = Duration::from_millis(5);

/// Builds the release binary, runs it, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    start(&program)?;
    let cpu_before = children_cpu();
    let mut walls = Vec::new();
    for _ in 0..RUNS {
        let started_at = Instant::now();
        start(&program)?;
        walls.push(started_at.elapsed());
    }
    walls.sort();
    let median = walls[walls.len() / 2];
    println!("  gemicro --version, {RUNS} runs");
    println!(
        "  wall  min {}, median {} (bar {}: {})",
        ms(walls[0]),
        ms(median),
        ms(WALL_BAR),
        verdict(median, WALL_BAR)
    );
    match (cpu_before, children_cpu()) {
        (Some(before), Some(after)) => {
            let mean = after.saturating_sub(before) / RUNS;
            println!(
                "  cpu   user + system, mean {} (bar {}: {})",
                ms(mean),
                ms(CPU_BAR),
                verdict(mean, CPU_BAR)
            );
        }
        _ => println!("  cpu   not measured: no /proc here"),
    }
    Ok(())
}

fn start(program: &Path) -> Result<()> {
    let status = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!("`gemicro --version` failed ({status})");
    }
    Ok(())
}

/// Processor time of all children that have ended. One tick is 10 ms on every Linux; the sum over
/// all runs makes that 0.2 ms per run.
fn children_cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    children_ticks(&stat).map(|ticks| Duration::from_millis(10 * ticks))
}

/// Fields 16 and 17: user and system time of waited-for children. The name in field 2 may contain anything but ends
/// with the last bracket.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

fn verdict(measured: Duration, bar: Duration) -> &'static str {
    if measured < bar { "met" } else { "MISSED" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_children() {
        let stat = "17 (a ) b) S 1 17 17 0 -1 4194304 5 6 7 8 11 12 130 20 20 0 1 0 99";
        assert_eq!(children_ticks(stat), Some(150));
        assert_eq!(children_ticks("17 (x) S 1"), None);
    }
}
