//! What gemicro adds to the time of the model: a research run of three rounds (split, branches, report) against the
//! simulator, where every call takes 300 ms. The ideal is 900 ms; the rest is ours, start-up and journal included.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::release::release_binary;
use super::simulator::Simulator;
use crate::temporary::TemporaryFolder;

const RUNS: usize = 15;
const CALL: Duration = Duration::from_millis(300);
/// Branches and the bar for what is added, as the median.
const SIZES: [(usize, Duration); 2] = [(5, Duration::from_millis(15)), (20, Duration::from_millis(20))];

/// Builds the release binary, runs it, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    for (n_branches, bar) in SIZES {
        let place = TemporaryFolder::new()?;
        let scenario = place.path().join("scenario.yaml");
        std::fs::write(&scenario, scenario_text(n_branches))?;
        let simulator = Simulator::start(&program, &scenario.to_string_lossy())?;
        let mut added = Vec::new();
        // The first run makes the state folder.
        ask(&program, place.path(), &simulator.url, n_branches)?;
        for _ in 0..RUNS {
            let wall = ask(&program, place.path(), &simulator.url, n_branches)?;
            added.push(wall.saturating_sub(3 * CALL));
        }
        added.sort();
        let median = added[RUNS / 2];
        println!(
            "  {n_branches:>2} branches, {RUNS} runs: added min {}, median {}, max {} (bar {}: {})",
            ms(added[0]),
            ms(median),
            ms(added[RUNS - 1]),
            ms(bar),
            if median <= bar { "met" } else { "MISSED" }
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

/// Asks once; gives the whole time of the process.
fn ask(program: &Path, place: &Path, url: &str, n_branches: usize) -> Result<Duration> {
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
    let wall = started_at.elapsed();
    if !output.status.success() {
        bail!("the run failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(wall)
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}
