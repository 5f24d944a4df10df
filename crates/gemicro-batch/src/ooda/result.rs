//! The result of a loop: coverage before and after, accepted and rejected tests.

use std::collections::BTreeMap;
use std::fmt::Write;

use gemicro_core::flow::Outcome;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_event::Json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::observation::Observation;
use super::state::OodaState;
use crate::coverage::Totals;

/// Reasons for the end of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopStop {
    /// The target is reached.
    Target,
    /// The budget allowed no further call.
    Budget,
    /// No gap is left for which a test could be found.
    NoProgress,
    /// The maximum number of gaps was reached.
    Rounds,
    /// A person ended it.
    Person,
    /// An error that would affect every other gap; tests accepted before stay.
    Trouble,
}

impl LoopStop {
    fn words(self, plan_target: f64) -> String {
        match self {
            Self::Target => format!("the target of {plan_target} % is reached"),
            Self::Budget => "the budget allows no further model call".to_owned(),
            Self::NoProgress => "no further test was found".to_owned(),
            Self::Rounds => "all rounds are used up".to_owned(),
            Self::Person => "it was ended by a person".to_owned(),
            Self::Trouble => "an error stopped it".to_owned(),
        }
    }
}

/// The end of a loop that measured at least once.
pub(super) fn result(state: &OodaState, stopped: LoopStop, run: &RunState) -> Outcome {
    let (Some(before), Some(now)) = (&state.before, &state.now) else {
        unreachable!("a loop ends with a result only after it has measured");
    };
    let files = files(before, now);
    let taken: Vec<Value> = state
        .acts
        .iter()
        .filter(|act| act.rejection.is_none())
        .map(|act| {
            json!({
                "gap": act.gap.name(),
                "files": act.files,
                "newly_covered": act.newly_covered,
                "mutations": act.mutations,
                "commit": act.landed.as_ref().map(|landed| landed.commit.clone()),
            })
        })
        .collect();
    let rejected: Vec<Value> = state
        .acts
        .iter()
        .filter_map(|act| {
            let rejection = act.rejection.as_ref()?;
            Some(json!({ "gap": act.gap.name(), "reason": rejection.reason, "message": rejection.message }))
        })
        .collect();
    let words = match (&state.failed, stopped) {
        (Some(failure), LoopStop::Trouble) => format!("an error stopped it: {}", failure.message),
        (_, LoopStop::Budget) if run.deadline.is_some() => "its time is over".to_owned(),
        _ => stopped.words(state.plan.target),
    };
    let worktree = state
        .acts
        .iter()
        .rev()
        .find_map(|act| act.landed.as_ref()?.worktree.clone());
    Outcome::Completed {
        message: format!(
            "Coverage {} → {}: {words}",
            before.totals.percent_text(),
            now.totals.percent_text()
        ),
        data: Json::from(json!({
            "answer": table(&files, before.totals, now.totals),
            "stopped": stopped,
            "stopped_because": words,
            "target": state.plan.target,
            "target_reached": now.totals.percent() >= state.plan.target,
            "before": figures(before.totals),
            "after": figures(now.totals),
            "files": files,
            "taken": taken,
            "rejected": rejected,
            "rounds": state.n_rounds,
            "branch": state.plan.branch,
            "commit": now.commit,
            "worktree": worktree,
            "metadata": ResultMetadata::of(run),
        })),
    }
}

/// Coverage of a file before and after.
#[derive(Debug, Serialize)]
struct LineChange {
    path: String,
    before: Option<Figures>,
    after: Option<Figures>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Figures {
    lines: u64,
    covered: u64,
    percent: f64,
}

fn figures(totals: Totals) -> Figures {
    Figures {
        lines: totals.lines,
        covered: totals.covered,
        percent: totals.percent(),
    }
}

fn files(before: &Observation, now: &Observation) -> Vec<LineChange> {
    let by_path = |observation: &Observation| -> BTreeMap<String, Figures> {
        let files = observation.files.iter();
        files
            .map(|file| {
                let totals = Totals {
                    lines: file.lines,
                    covered: file.covered,
                    ..Totals::default()
                };
                (file.path.clone(), figures(totals))
            })
            .collect()
    };
    let (before, now) = (by_path(before), by_path(now));
    let mut paths: Vec<&String> = before.keys().chain(now.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| LineChange {
            path: path.clone(),
            before: before.get(path).copied(),
            after: now.get(path).copied(),
        })
        .collect()
}

/// Before and after, as a table.
fn table(files: &[LineChange], before: Totals, now: Totals) -> String {
    let width = files
        .iter()
        .map(|file| file.path.chars().count())
        .max()
        .unwrap_or(0);
    let width = width.clamp("Total".len(), 60);
    let mut table = format!("{:<width$}  {:>8}  {:>8}\n", "File", "Before", "After");
    let cell = |figures: Option<Figures>| {
        let shown = figures.map(|it| {
            Totals {
                lines: it.lines,
                covered: it.covered,
                ..Totals::default()
            }
            .percent_text()
        });
        shown.unwrap_or_else(|| "-".to_owned())
    };
    for file in files {
        let _ = writeln!(
            table,
            "{:<width$}  {:>8}  {:>8}",
            file.path,
            cell(file.before),
            cell(file.after)
        );
    }
    let _ = write!(
        table,
        "{:<width$}  {:>8}  {:>8}",
        "Total",
        cell(Some(figures(before))),
        cell(Some(figures(now)))
    );
    table
}
