//! The final state of a run, without what may differ between two runs of the same request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::kind::RunKind;
use super::normalise::{normalise, normalise_text};
use super::world::FaultWorld;

/// Events that only report how often and where a run was worked on.
const PROGRESS: &[&str] = &[
    "agent_noise",
    "agent_started",
    "budget_warning",
    "run_parked",
    "run_resumed",
    "run_started",
    "run_suspended",
    "run_woken",
    "step_alarm",
    "step_handle",
    "step_lost",
    "step_parked",
    "step_retrying",
    "step_started",
    "tool_called",
    "tool_ended",
    "transport_switched",
    "turn_asked",
    "turn_failed",
];
const ENDS: &[&str] = &["final_result", "run_failed", "run_cancelled", "run_interrupted"];

const MINUTES_OF_DAY: u64 = 24 * 60;

/// The events of one run or conversation.
pub(crate) struct RunJournal(pub(crate) Vec<Value>);

/// The result of a run: its journal, the files of the project and the commits on its branches.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFold {
    end: String,
    /// Facts of the journal by step.
    facts: BTreeMap<String, BTreeSet<String>>,
    files: BTreeSet<String>,
    commits: Vec<String>,
}

impl RunJournal {
    pub(crate) fn parse(lines: &str) -> Result<Self> {
        let events: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
        Ok(Self(events.context("the journal is not JSON")?))
    }

    pub(crate) fn of_type<'j>(&'j self, event_type: &'j str) -> impl Iterator<Item = &'j Value> {
        self.0
            .iter()
            .filter(move |event| event["event_type"] == event_type)
    }

    /// Whether the time of day of the last event is at least half an hour away from now.
    pub(crate) fn ends_at_another_hour(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = now.as_secs() / 60 % MINUTES_OF_DAY;
        let last = self.0.last().and_then(|event| event["timestamp"].as_str());
        last.and_then(minute_of_day).is_some_and(|minute| {
            let away = (minute + MINUTES_OF_DAY - now) % MINUTES_OF_DAY;
            (30..=MINUTES_OF_DAY - 30).contains(&away)
        })
    }

    /// Steps that were cut off and must not begin again, which gemicro reports.
    pub(crate) fn cut_off(&self) -> BTreeSet<String> {
        let failed = self.of_type("step_failed");
        let cut_off = failed.filter(|event| event["data"]["error"]["kind"] == "interrupted");
        cut_off.map(step).collect()
    }

    /// The messages of a conversation that were answered, with their answers.
    pub(crate) fn chat_answers(&self) -> Vec<(String, String)> {
        let mut messages: BTreeMap<u64, String> = BTreeMap::new();
        let (mut last, mut found) = (String::new(), Vec::new());
        for event in &self.0 {
            let turn = &event["data"]["turn"];
            let text = turn["text"].as_str().unwrap_or_default();
            match (
                event["event_type"].as_str(),
                turn["number"].as_u64(),
                turn.as_u64(),
            ) {
                (Some("turn_added"), Some(number), _) if turn["author"] == "user" => {
                    messages.insert(number, text.to_owned());
                }
                (Some("turn_added"), ..) => text.clone_into(&mut last),
                (Some("turn_answered"), _, Some(number)) => {
                    let message = messages.get(&number).cloned().unwrap_or_default();
                    found.push((message, last.clone()));
                }
                _ => {}
            }
        }
        found
    }

    /// Checks that the numbers have no gap, and that there is one end, which is the last event.
    pub(crate) fn check(&self, kind: RunKind) -> Result<()> {
        let numbers = self.0.iter().map(|event| event["seq"].as_u64());
        if !numbers.eq((1..=self.0.len() as u64).map(Some)) {
            bail!("the journal has a gap");
        }
        let is_end = |event: &&Value| ENDS.iter().any(|end| event["event_type"] == *end);
        let n_ends = self.0.iter().filter(is_end).count();
        let ends_last = self.0.last().is_some_and(|event| is_end(&event));
        if kind != RunKind::Chat && (n_ends != 1 || !ends_last) {
            bail!("the journal has {n_ends} ends");
        }
        Ok(())
    }
}

/// The step or task that an event belongs to; empty if none.
pub(crate) fn step(event: &Value) -> String {
    let data = &event["data"];
    let named = [&event["step"], &data["step"], &data["task_id"]];
    let named = named.into_iter().find_map(Value::as_str);
    named.unwrap_or_default().to_owned()
}

impl RunFold {
    pub(crate) fn new(world: &FaultWorld, kind: RunKind, journal: &RunJournal) -> Result<Self> {
        let folder = world.path("").to_string_lossy().trim_end_matches('/').to_owned();
        let mut fold = Self::default();
        if kind == RunKind::Chat {
            // A message whose turn was cut off is sent again; the next chat may have fetched its answer as well.
            let answers: BTreeSet<(String, String)> = journal.chat_answers().into_iter().collect();
            fold.end = format!("chat {answers:?}");
            return Ok(fold);
        }
        for event in &journal.0 {
            let event_type = event["event_type"].as_str().unwrap_or_default();
            if PROGRESS.contains(&event_type) {
                continue;
            }
            let fact = format!("{event_type} {}", normalise(&event["data"], &folder));
            match ENDS.contains(&event_type) {
                true => fold.end = fact,
                false => {
                    fold.facts.entry(step(event)).or_default().insert(fact);
                }
            }
        }
        let project = world.path("project");
        files_below(&project, &project, &mut fold.files)?;
        if project.join(".git").exists() {
            let branches = ["log", "--all", "--format=%s", "--not", "main", "--"];
            fold.commits = world.git(&branches)?.lines().map(str::to_owned).collect();
            let refs = world.git(&["for-each-ref", "--format=%(refname)", "refs/heads"])?;
            for name in refs.lines() {
                let tree = world.git(&["ls-tree", "-r", name])?;
                let lines = tree.lines().map(|line| format!("{name} {line}"));
                fold.files.extend(lines);
            }
        }
        // Documents of a pipeline quote the ids of commits, which depend on the time.
        fold.files = fold
            .files
            .iter()
            .map(|line| match line.contains("docs/") {
                true => normalise_text(line, &folder),
                false => line.clone(),
            })
            .collect();
        Ok(fold)
    }

    /// Where this differs from the undisturbed run, apart from steps that were cut off.
    pub(crate) fn differences(&self, undisturbed: &Self, cut_off: &BTreeSet<String>) -> Vec<String> {
        let mut found = Vec::new();
        let mut differ = |what: &str, expected: &str, actual: &str| {
            if expected != actual {
                let (actual, expected) = from_difference(actual, expected);
                found.push(format!("{what} is `{actual}`, expected `{expected}`"));
            }
        };
        match cut_off.is_empty() {
            true => differ("the end", &undisturbed.end, &self.end),
            false => differ("the end", first_word(&undisturbed.end), first_word(&self.end)),
        }
        let steps: BTreeSet<&String> = undisturbed.facts.keys().chain(self.facts.keys()).collect();
        for step in steps.into_iter().filter(|step| !cut_off.contains(*step)) {
            let of = |fold: &Self| fold.facts.get(step).cloned().unwrap_or_default();
            let (expected, actual) = (of(undisturbed), of(self));
            let only = |some: &BTreeSet<String>, others: &BTreeSet<String>| {
                some.difference(others).cloned().collect::<Vec<_>>().join(" ")
            };
            let (missing, more) = (only(&expected, &actual), only(&actual, &expected));
            differ(&format!("step {step}"), &missing, &more);
        }
        let joined = |lines: &BTreeSet<String>| lines.iter().cloned().collect::<Vec<_>>().join("\n");
        if cut_off.is_empty() {
            differ("the project", &joined(&undisturbed.files), &joined(&self.files));
        }
        differ(
            "the branch",
            &undisturbed.commits.join(", "),
            &self.commits.join(", "),
        );
        found
    }

    /// Compares only the results: a retried run has other steps.
    pub(crate) fn result_differences(&self, undisturbed: &Self) -> Vec<String> {
        let answer = |fold: &Self| {
            fold.end
                .split_once("\"answer\":")
                .map(|(_, rest)| first_string(rest))
        };
        match answer(self) == answer(undisturbed) && first_word(&self.end) == first_word(&undisturbed.end) {
            true => Vec::new(),
            false => {
                let (actual, expected) = from_difference(&self.end, &undisturbed.end);
                vec![format!("the end is `{actual}`, expected `{expected}`")]
            }
        }
    }

    pub(crate) fn commits(&self) -> &[String] {
        &self.commits
    }
}

fn first_string(text: &str) -> String {
    text.split("\",\"").next().unwrap_or_default().to_owned()
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Two texts from a little before they differ, in one short line each.
fn from_difference(one: &str, other: &str) -> (String, String) {
    let n_same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        let part: String = text.chars().skip(n_same.saturating_sub(40)).take(160).collect();
        part.replace('\n', " | ")
    };
    (part(one), part(other))
}

/// The files below a folder with their contents; lines that commands added are in any order.
fn files_below(folder: &Path, top: &Path, found: &mut BTreeSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if path.is_dir() {
            files_below(&path, top, found)?;
            continue;
        }
        let mut lines: Vec<Vec<u8>> = std::fs::read(&path)?
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if path.ends_with("effects") {
            lines.sort();
        }
        let name = path.strip_prefix(top).unwrap_or(&path).display().to_string();
        let digest = Sha256::digest(lines.join(&b'\n'));
        found.insert(format!("{name} {:02x?}", &digest[..8]));
    }
    Ok(())
}

/// The minute of the day of `2026-11-18T07:41:17.137Z`.
fn minute_of_day(timestamp: &str) -> Option<u64> {
    let (_, time) = timestamp.split_once('T')?;
    let mut parts = time.split(':').map(str::parse::<u64>);
    Some(parts.next()?.ok()? * 60 + parts.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(types: &[&str]) -> RunJournal {
        let lines = types.iter().zip(1..).map(|(event_type, seq)| {
            format!("{{\"event_type\":\"{event_type}\",\"seq\":{seq},\"data\":{{\"step\":\"a\"}}}}\n")
        });
        RunJournal::parse(&lines.collect::<String>()).unwrap()
    }

    #[test]
    fn a_journal_needs_one_end_and_no_gap() {
        let check = |types: &[&str]| journal(types).check(RunKind::Offline);
        assert!(check(&["run_started", "final_result"]).is_ok());
        assert!(check(&["run_started"]).is_err());
        assert!(check(&["final_result", "run_started"]).is_err());
        assert!(check(&["run_failed", "final_result"]).is_err());
        let mut gap = journal(&["run_started", "final_result"]);
        gap.0.remove(0);
        assert!(gap.check(RunKind::Offline).is_err());
    }

    #[test]
    fn a_different_fact_is_a_difference_unless_its_step_was_cut_off() {
        let of = |fact: &str| RunFold {
            end: "final_result {}".to_owned(),
            facts: BTreeMap::from([("a".to_owned(), BTreeSet::from([fact.to_owned()]))]),
            ..RunFold::default()
        };
        let none = BTreeSet::new();
        assert!(of("x").differences(&of("x"), &none).is_empty());
        assert_eq!(of("y").differences(&of("x"), &none).len(), 1);
        assert!(
            of("y")
                .differences(&of("x"), &BTreeSet::from(["a".to_owned()]))
                .is_empty()
        );
    }
}
