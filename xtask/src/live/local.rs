//! `cargo xtask live --local`: research with a small real model, compared with research without one.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::command::LocalJob;
use super::local_model::LocalModel;
use super::question_set::{QuestionSet, SetOutcome, gemicro};
use crate::bench::{release_binary, table};
use crate::process;
use crate::temporary::TemporaryFolder;

const HEADINGS: &[&str] = &[
    "set",
    "right",
    "offline",
    "wrong",
    "offline",
    "tokens",
    "s",
    "retries",
    "fallbacks",
];
/// Time to wait for the first step of a run before it is killed anyway.
const PATIENCE: Duration = Duration::from_secs(300);

/// Serves the model, asks every set with and without it, and kills and resumes one run.
pub(super) fn run(root: &Path, job: &LocalJob) -> Result<()> {
    let program = match &job.program {
        Some(program) => std::path::absolute(program)?,
        None => release_binary(root)?,
    };
    let sets = QuestionSet::all(root, job.n_questions)?;
    let model = LocalModel::start(root)?;
    let mut rows = Vec::new();
    for set in &sets {
        println!("  {}", set.name);
        let offline = set.ask(&program, None)?;
        let with_model = set.ask(&program, Some(&model))?;
        rows.push(row(&set.name, &with_model, &offline));
    }
    println!("{}", table(HEADINGS, &rows));
    if let Some(set) = sets.first() {
        println!("  {}", kill_and_resume(&program, set, &model)?);
    }
    Ok(())
}

fn row(name: &str, model: &SetOutcome, offline: &SetOutcome) -> Vec<String> {
    let of = |n: usize| format!("{n}/{}", model.n_questions);
    vec![
        name.to_owned(),
        of(model.n_right),
        of(offline.n_right),
        of(model.n_wrong),
        of(offline.n_wrong),
        model.tokens.to_string(),
        format!("{:.0}", model.seconds),
        model.n_retries.to_string(),
        model.n_fallbacks.to_string(),
    ]
}

/// Kills a run after its first model call and resumes it; completed steps must not be repeated.
fn kill_and_resume(program: &Path, set: &QuestionSet, model: &LocalModel) -> Result<String> {
    let home = TemporaryFolder::new()?;
    let mut question = set.first_question(program, home.path(), model);
    let mut child = question.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let started_at = Instant::now();
    let completed = loop {
        std::thread::sleep(Duration::from_millis(200));
        let completed = completed_steps(program, home.path(), model)?;
        let has_ended = child.try_wait()?.is_some();
        if completed.iter().any(|step| step == "decompose") || has_ended || started_at.elapsed() > PATIENCE {
            break completed;
        }
    };
    drop(child.kill());
    child.wait()?;
    if completed.is_empty() {
        bail!(
            "the run had no completed step after {} s",
            started_at.elapsed().as_secs()
        );
    }
    let mut resume = gemicro(program, home.path(), Some(model));
    let status = resume
        .args(["resume", "last"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", process::line(&resume)))?;
    let after = completed_steps(program, home.path(), model)?;
    let repeated = completed
        .iter()
        .find(|step| after.iter().filter(|it| it == step).count() != 1);
    if let Some(step) = repeated {
        bail!("the resumed run repeated or lost the step `{step}`");
    }
    Ok(format!(
        "killed after {} of {} steps, resumed: exit code {}",
        completed.len(),
        after.len(),
        status.code().unwrap_or(-1)
    ))
}

/// The completed steps of the newest run; empty if there is no run yet.
fn completed_steps(program: &Path, home: &Path, model: &LocalModel) -> Result<Vec<String>> {
    let mut events: Command = gemicro(program, home, Some(model));
    let output = events
        .args(["events", "last", "--format", "jsonl"])
        .stderr(Stdio::null())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let events = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let completed = events.filter(|event| event["event_type"] == "step_completed");
    Ok(completed
        .filter_map(|event| event["data"]["step"].as_str().map(str::to_owned))
        .collect())
}
