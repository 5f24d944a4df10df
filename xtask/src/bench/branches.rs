//! Measures the time that gemicro adds to the model's: a research run of three rounds (split, branches, report) against
//! the simulator, where every call takes 300 ms. The ideal is 900 ms; the rest is gemicro's, journal included. The bar
//! is for the run, from its first event to its last, as others measure it; the time of the whole process is shown
//! beside it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::release::release_binary;
use super::simulator::BenchSimulator;
use crate::temporary::TemporaryFolder;

const RUNS: usize = 15;
const CALL: Duration = Duration::from_millis(300);
/// Number of branches, and the bar for the added time, as the median.
const SIZES: [(usize, Duration); 2] = [(5, Duration::from_millis(15)), (20, Duration::from_millis(20))];

/// Builds the release binary, runs it, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    for (n_branches, bar) in SIZES {
        let place = TemporaryFolder::new()?;
        let scenario = place.path().join("scenario.yaml");
        std::fs::write(&scenario, scenario_text(n_branches))?;
        let simulator = BenchSimulator::start(&program, &scenario.to_string_lossy())?;
        let (mut runs, mut processes) = (Vec::new(), Vec::new());
        // The first run creates the state folder.
        ask(&program, place.path(), &simulator.url, n_branches)?;
        for _ in 0..RUNS {
            let asked = ask(&program, place.path(), &simulator.url, n_branches)?;
            runs.push(asked.run.saturating_sub(3 * CALL));
            processes.push(asked.process.saturating_sub(3 * CALL));
        }
        let is_met = median(&mut runs) <= bar;
        println!(
            "  {n_branches:>2} branches, {RUNS} times: the run adds {} (bar {}: {}), the whole process {}",
            spread(&mut runs),
            ms(bar),
            if is_met { "met" } else { "MISSED" },
            spread(&mut processes)
        );
    }
    Ok(())
}

fn scenario_text(n_branches: usize) -> String {
    let parts: Vec<String> = (1..=n_branches).map(|n| format!("\"Part {n}?\"")).collect();
    let delay = CALL.as_millis();
    format!(
        "scenario: branches\ndescription: Every call takes {delay} ms.\nrules:\n\
         \x20 - name: split\n    when: {{ prompt_contains: sub_queries }}\n    reply: {{ json: {{ sub_queries: [{}] }}, delay: {{ first_ms: {delay} }} }}\n\
         \x20 - name: the rest\n    reply: {{ text: \"It is so, as was found.\", delay: {{ first_ms: {delay} }} }}\n",
        parts.join(", ")
    )
}

/// How long a question took.
struct QuestionTime {
    /// From the first event of its run to the last.
    run: Duration,
    /// From the start of the process to its exit.
    process: Duration,
}

fn ask(program: &Path, place: &Path, url: &str, n_branches: usize) -> Result<QuestionTime> {
    let started_at = Instant::now();
    let output = Command::new(program)
        .args(["research", "Why?", "--format", "json", "--max-queries"])
        .arg(n_branches.to_string())
        .env("GEMICRO_HOME", place.join("home"))
        .env("GEMINI_API_KEY", "simulated")
        .env("GOOGLE_GEMINI_BASE_URL", url)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let process = started_at.elapsed();
    if !output.status.success() {
        bail!("the run failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let result: Value = serde_json::from_slice(&output.stdout).context("the result is not JSON")?;
    let duration_ms = result["metadata"]["duration_ms"].as_u64();
    let run = Duration::from_millis(duration_ms.context("the result has no duration")?);
    Ok(QuestionTime { run, process })
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn spread(times: &mut [Duration]) -> String {
    let median = median(times);
    format!(
        "{} ({} to {})",
        ms(median),
        ms(times[0]),
        ms(times[times.len() - 1])
    )
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}
