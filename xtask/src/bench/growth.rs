//! Measures how the cost of a batch grows with its tasks, and how long it takes to show its journal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::release::release_binary;
use super::table::table;
use crate::temporary::TemporaryFolder;

const SIZES: [usize; 4] = [5_000, 10_000, 20_000, 40_000];
/// Maximum factor by which the cost may grow when a batch is twice as large.
const GROWTH_BAR: f64 = 2.2;
/// For the largest batch, whose journal has four events per task.
const SHOW_BAR: Duration = Duration::from_millis(500);

/// Builds the release binary, runs batches of memory searches, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let program = release_binary(root)?;
    let folder = TemporaryFolder::new()?;
    let mut rows = Vec::new();
    let mut before: Option<Duration> = None;
    for n_tasks in SIZES {
        let home = folder.path().join(format!("home-{n_tasks}"));
        let tasks = folder.path().join("tasks.json");
        fs::write(&tasks, batch(n_tasks))?;
        let tasks = tasks.display().to_string();
        let submit = measure_time(&program, &home, &["batch", "submit", &tasks])?;
        let poll = measure_time(&program, &home, &["batch", "poll", "last"])?;
        let show = measure_time(&program, &home, &["show", "last"])?;
        let growth = before.map(|before| submit.as_secs_f64() / before.as_secs_f64());
        before = Some(submit);
        let is_largest = n_tasks == SIZES[SIZES.len() - 1];
        rows.push(vec![
            n_tasks.to_string(),
            ms(submit),
            growth.map_or_else(|| "–".to_owned(), |growth| format!("×{growth:.2}")),
            growth
                .map_or("–", |growth| verdict(growth <= GROWTH_BAR))
                .to_owned(),
            ms(poll),
            ms(show),
            if is_largest {
                verdict(show < SHOW_BAR)
            } else {
                "–"
            }
            .to_owned(),
        ]);
    }
    let headings = [
        "tasks",
        "batch",
        "growth",
        "bar ×2.2",
        "poll",
        "show",
        "bar 500 ms",
    ];
    print!("{}", table(&headings, &rows));
    Ok(())
}

fn batch(n_tasks: usize) -> String {
    let task = |n: usize| {
        format!(r#"{{"task_id":"t{n}","type":"get_memory_summary","parameters":{{"keywords":["alpha"]}}}}"#)
    };
    let tasks: Vec<String> = (0..n_tasks).map(task).collect();
    format!("[{}]", tasks.join(","))
}

fn measure_time(program: &Path, home: &Path, arguments: &[&str]) -> Result<Duration> {
    let started_at = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .env("GEMICRO_HOME", home)
        .env("GEMICRO_RESIDENT", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!("`gemicro {}` failed ({status})", arguments.join(" "));
    }
    Ok(started_at.elapsed())
}

fn ms(duration: Duration) -> String {
    format!("{:.0} ms", duration.as_secs_f64() * 1000.0)
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_an_array_of_tasks() {
        let tasks: Vec<serde_json::Value> = serde_json::from_str(&batch(3)).unwrap();
        assert_eq!(tasks.len(), 3);
        assert_eq!(tasks[2]["task_id"], "t2");
    }
}
