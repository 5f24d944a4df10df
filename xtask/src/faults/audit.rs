//! Looks at what a disturbed run left: its result, work that was done twice, locks, processes and files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::finish::{FinishedRun, call};
use super::fold::{RunFold, RunJournal, step};
use super::kind::RunKind;
use super::normalise::normalise_text;
use super::scenario::ScenarioFindings;
use super::world::FaultWorld;

/// Time in which processes of a run that has ended must be gone.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) struct UndisturbedRun {
    pub(crate) fold: RunFold,
    pub(crate) n_writes: u64,
    pub(crate) n_syncs: u64,
    pub(crate) n_calls: usize,
    pub(crate) took: Duration,
    /// Names of the files in the state folder and the temporary folder, without ids.
    pub(crate) paths: BTreeSet<String>,
}

/// Compares a disturbed run with an undisturbed one.
pub(crate) fn audit(
    world: &mut FaultWorld,
    kind: RunKind,
    run: &FinishedRun,
    undisturbed: &UndisturbedRun,
) -> Result<ScenarioFindings> {
    let journal = &run.journal;
    let mut findings = ScenarioFindings::default();
    if let Err(error) = journal.check(kind) {
        findings.lost.push(error.to_string());
    }
    let fold = RunFold::new(world, kind, journal)?;
    let cut_off = match kind {
        RunKind::Batch => journal.cut_off(),
        _ => BTreeSet::new(),
    };
    findings.n_reported = cut_off.len();
    findings.lost.extend(match run.is_retry {
        true => fold.result_differences(&undisturbed.fold),
        false => fold.differences(&undisturbed.fold, &cut_off),
    });
    findings.doubled = find_doubles(world, journal, &fold);
    let n_calls = world.model_calls()?;
    let n_more = n_calls.saturating_sub(undisturbed.n_calls);
    let n_allowed = repeatable_calls(kind, journal);
    match n_more > n_allowed && !run.is_retry {
        true => findings.doubled.push(format!(
            "{n_calls} model calls instead of {}, and only {n_allowed} were cut off without an id",
            undisturbed.n_calls
        )),
        false => findings.n_repeated = n_more,
    }
    world.end_simulator();
    findings.processes = processes(world);
    findings.locks = git_locks(world)?;
    if paths(world)?.difference(&undisturbed.paths).next().is_some() {
        // What a killed process leaves in the state folder is removed by this, and by the next background worker.
        call(world, world.command(&["prune", "--older-than", "365d", "--yes"]))?;
    }
    findings.files = paths(world)?.difference(&undisturbed.paths).cloned().collect();
    Ok(findings)
}

/// Steps that completed twice or began after they had completed, and effects and commits that are there twice.
fn find_doubles(world: &FaultWorld, journal: &RunJournal, fold: &RunFold) -> Vec<String> {
    let mut found = Vec::new();
    let mut completed: BTreeSet<String> = BTreeSet::new();
    for event in &journal.0 {
        let step = step(event);
        let is_new = match event["event_type"].as_str() {
            Some("step_completed") => completed.insert(step.clone()),
            Some("step_started") => !completed.contains(&step),
            _ => true,
        };
        if !is_new {
            found.push(format!("step {step}"));
        }
    }
    let effects = std::fs::read_to_string(world.path("project/effects")).unwrap_or_default();
    // A message that is sent again is another turn; no turn is answered twice.
    let answered = journal.of_type("turn_answered");
    let answers: Vec<String> = answered
        .map(|event| format!("turn {}", event["data"]["turn"]))
        .collect();
    let lines = effects.lines().chain(fold.commits().iter().map(String::as_str));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.chain(answers.iter().map(String::as_str)) {
        *counts.entry(line).or_default() += 1;
    }
    let twice = counts.into_iter().filter(|(_, n)| *n > 1);
    found.extend(twice.map(|(line, n)| format!("{line} ({n} times)")));
    found
}

/// How many model calls may have been sent again: those that were cut off before they had an id, and failed ones.
fn repeatable_calls(kind: RunKind, journal: &RunJournal) -> usize {
    let attempt = |event: &serde_json::Value| (step(event), event["data"]["attempt"].as_u64());
    let with_id: BTreeSet<_> = journal.of_type("step_handle").map(attempt).collect();
    let lost = journal.of_type("step_lost").map(attempt);
    let n_lost = lost.filter(|attempt| !with_id.contains(attempt)).count();
    let n_retried = journal.of_type("step_retrying").count();
    // The run of a turn that was cut off is ended by the next chat, and the message is sent again.
    let n_turns = match kind {
        RunKind::Chat => journal.of_type("turn_asked").count(),
        _ => 0,
    };
    n_lost + n_retried + n_turns
}

/// Processes that work in the folder or name it, after a grace period.
fn processes(world: &FaultWorld) -> Vec<String> {
    let folder = world.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let started_at = Instant::now();
    loop {
        let found = processes_in(&folder);
        if found.is_empty() || started_at.elapsed() > GRACE {
            return found.into_iter().map(|(_, line)| line).collect();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Number and command line of each process that works in a folder or names it.
pub(crate) fn processes_in(folder: &str) -> Vec<(i32, String)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let place = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        (line.contains(folder) || place.starts_with(folder)).then_some((number, line))
    });
    found.collect()
}

/// Locks of git, and imports that were not finished.
fn git_locks(world: &FaultWorld) -> Result<Vec<String>> {
    let git = world.path("project/.git");
    if !git.exists() {
        return Ok(Vec::new());
    }
    let mut names = BTreeSet::new();
    names_below(&git, &git, &mut names)?;
    let locks = names.into_iter().filter(|name| name.ends_with(".lock"));
    let references = world.git(&["for-each-ref", "--format=%(refname)", "refs/gemicro"])?;
    let imports = references.lines().filter(|name| name.contains("incoming"));
    Ok(locks.chain(imports.map(str::to_owned)).collect())
}

/// The names of the files in the state folder and the temporary folder, without ids.
pub(crate) fn paths(world: &FaultWorld) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for name in ["home", "tmp"] {
        let folder = world.path(name);
        if folder.exists() {
            names_below(&folder, &world.path(""), &mut names)?;
        }
    }
    let kept = [
        // Parts of the database, which stay until its next writer closes it.
        "home/gemicro.db-",
        // Blobs are named by content; half-written ones are removed by `gemicro prune` when they are an hour old.
        "home/blobs/ID/",
        // Lock, log and socket of the background worker.
        "home/worker/",
        // The work of an agent that was cut off, put aside for the user.
        "home/tasks/ID.N/",
        // Left by a kill while `versions.json` is written, and not removed by any later run: known, and a few bytes.
        "home/agents/versions.N",
    ];
    let names = names.iter().map(|name| without_ids(name));
    Ok(names
        .filter(|name| !kept.iter().any(|start| name.starts_with(start)))
        .collect())
}

/// A path whose ids, hashes and numbers of attempts are replaced.
fn without_ids(path: &str) -> String {
    let parts = path.split('/').map(|part| {
        // The start of a hash, or a UUID.
        let is_id = [2, 36].contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        match is_id {
            true => "ID".to_owned(),
            // No folder has an empty name.
            false => normalise_text(part, "/").replace(|letter: char| letter.is_ascii_digit(), "N"),
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn names_below(folder: &Path, top: &Path, found: &mut BTreeSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            names_below(&path, top, found)?;
        } else {
            found.insert(path.strip_prefix(top).unwrap_or(&path).display().to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_same_kind_are_equal() {
        let (one, other) = ("home/blobs/b2/b2b0e62925c1f897", "home/blobs/85/85b235b77794b947");
        assert_eq!(without_ids(one), without_ids(other));
        assert_eq!(
            without_ids("homes/9syy9yz99h6vgqfw-agent-1/tmp"),
            "homes/ID-agent-N/tmp"
        );
        assert_eq!(
            without_ids("gemini/10eac96a-83a2-42b4-ab4b-78aa9e87c983"),
            "gemini/ID"
        );
        assert_ne!(
            without_ids(one),
            without_ids("home/blobs/b2/new-64292yt7mdnxfm0q")
        );
    }
}
