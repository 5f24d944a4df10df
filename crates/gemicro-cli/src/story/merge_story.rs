//! The story of a merge queue: its target, its branches and its checks.

use std::fmt::Write as _;

use gemicro_core::flow::Flow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::merge_queue::{MergeFlow, MergePlan, MergeState, MergeSummary};
use gemicro_engine::pipeline::steps::Evidence;
use gemicro_event::{Event, Json, StepKey, StreamId};

use crate::screen::{Paint, text};

/// Maximum number of taken-out branches that have a command each.
const MANY: usize = 3;
/// Lines at the end of a failed check's output that are shown.
const OUTPUT_LINES: usize = 5;
/// Maximum width of a branch name.
const WIDEST_NAME: usize = 40;
/// Width of the longest state of a branch, `already merged`.
const STATE: usize = 14;

#[derive(Debug)]
pub(crate) struct MergeStory {
    state: MergeState,
    /// The branches that were named and exist, in merge order.
    branches: Vec<String>,
    /// The checked commits, in the order in which their checks began.
    checks: Vec<CheckedCommit>,
}

#[derive(Debug)]
struct CheckedCommit {
    commit: String,
    /// The branch that it merges, or the target.
    branch: String,
    /// `None` if the checks have not ended.
    passed: Option<bool>,
}

impl MergeStory {
    pub(super) fn of_plan(plan: &Json) -> Option<Self> {
        let branches = plan.parse::<MergePlan>().ok()?.branches;
        Some(Self {
            state: MergeFlow.start(plan).ok()?,
            branches: branches.into_iter().map(|it| it.branch).collect(),
            checks: Vec::new(),
        })
    }

    pub(super) fn fold(&mut self, event: &Event) {
        let update = &event.update;
        if let Some(started) = update.as_step_started()
            && let Some(commit) = checked_commit(&started.step)
            && !self.checks.iter().any(|it| it.commit == commit)
        {
            self.checks.push(CheckedCommit {
                commit: commit.to_owned(),
                branch: self.state.branch_of(commit).to_owned(),
                passed: None,
            });
        }
        if let Some(completed) = update.as_step_completed()
            && let Some(commit) = checked_commit(&completed.step)
            && let Some(check) = self.checks.iter_mut().find(|it| it.commit == commit)
        {
            let evidence = completed.output.parse::<Evidence>().ok();
            check.passed = evidence.map(|it| it.faults().is_empty());
        }
        MergeFlow.fold(&mut self.state, event);
    }

    pub(super) fn summary(&self) -> MergeSummary {
        MergeSummary::of(&self.state)
    }

    /// The target and what happened to it, each with its label.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let it = self.summary();
        let into = match (it.old.as_str(), it.merged.is_empty()) {
            ("", _) => it.into,
            (old, true) => format!("{} at {}, unchanged", it.into, short(old)),
            (old, false) => format!("{}, from {} to {}", it.into, short(old), short(&it.new)),
        };
        let pushed = it.pushed_to.map(|remote| ("Pushed", format!("to {remote}")));
        let not_pushed = it.push_error.map(|error| ("Pushed", format!("no: {error}")));
        let notes = it.notes.into_iter().map(|note| ("Note", note));
        let facts = std::iter::once(("Into", into)).chain(pushed).chain(not_pushed);
        facts.chain(notes).collect()
    }

    /// The branches, then the checks.
    pub(super) fn page(&self, paint: Paint, columns: usize) -> String {
        let summary = self.summary();
        let (good, bad) = (paint.good("✓"), paint.bad("✗"));
        let mut rows: Vec<(&str, &str, &str, &str)> = Vec::new();
        for it in &summary.merged {
            rows.push((&good, &it.branch, "merged", short(&it.commit)));
        }
        for branch in &summary.already_merged {
            rows.push((&good, branch, "already merged", ""));
        }
        for it in &summary.taken_out {
            rows.push((&bad, &it.branch, "taken out", &it.why));
        }
        for it in &summary.not_ready {
            rows.push((&bad, &it.name, "not ready", &it.why));
        }
        for branch in &self.branches {
            if !rows.iter().any(|(_, name, ..)| name == branch) {
                rows.push(("•", branch, "not merged", ""));
            }
        }
        let mut page = table(&paint.strong("Branches"), &rows, columns);
        let checks = self.checks.iter().map(|it| {
            let (mark, word) = match it.passed {
                Some(true) => (good.as_str(), "pass"),
                Some(false) => (bad.as_str(), "fail"),
                None => ("•", "not finished"),
            };
            (mark, it.branch.as_str(), word, short(&it.commit))
        });
        let checks: Vec<_> = checks.collect();
        if !checks.is_empty() {
            page.push('\n');
            page.push_str(&table(&paint.strong("Checks"), &checks, columns));
        }
        page
    }

    /// What to do after the queue has ended: commands and their purposes.
    pub(super) fn next(&self, run: &StreamId) -> Vec<(String, &'static str)> {
        let summary = self.summary();
        let into = text::shell_quoted(&summary.into);
        let out = summary.taken_out.iter();
        let out: Vec<String> = out.map(|it| text::shell_quoted(&it.branch)).collect();
        let update = out.iter().take(MANY).map(|branch| {
            let command = format!("git switch {branch} && git merge {into}");
            (command, "resolve conflicts, fix failed checks, commit")
        });
        let mut commands: Vec<_> = update.collect();
        if !out.is_empty() {
            let command = format!("gemicro merge --into {into} {}", out.join(" "));
            commands.push((command, "then merge what was taken out"));
        }
        if !summary.merged.is_empty() {
            let purpose = "remove the branches and checkouts of merged tasks";
            commands.push(("gemicro prune --tasks".to_owned(), purpose));
        }
        commands.push((format!("gemicro show {run} --format json"), "all data as JSON"));
        commands
    }
}

/// Rows of a mark, a branch, its state and a reason, whose first line is followed by its end.
fn table(title: &str, rows: &[(&str, &str, &str, &str)], columns: usize) -> String {
    let widths = rows.iter().map(|(_, name, ..)| text::width(name));
    let name_width = widths.max().unwrap_or(0).min(WIDEST_NAME);
    let room = columns.saturating_sub(name_width + STATE + 8).max(20);
    let mut page = format!("{title}\n");
    for (mark, name, state, about) in rows {
        let lines: Vec<&str> = about.lines().collect();
        let (first, rest) = lines.split_first().unwrap_or((&"", &[]));
        let name = text::pad(&text::cut(&text::one_line(name), name_width), name_width);
        let first = text::cut(&text::one_line(first), room);
        let row = format!("  {mark} {name}  {}  {first}", text::pad(state, STATE));
        let _ = writeln!(page, "{}", row.trim_end());
        for line in &rest[rest.len().saturating_sub(OUTPUT_LINES)..] {
            let line = text::cut(&text::one_line(line), columns.saturating_sub(6).max(20));
            let _ = writeln!(page, "      {line}");
        }
    }
    page
}

/// The commit that a step checks.
fn checked_commit(step: &StepKey) -> Option<&str> {
    step.as_str().strip_prefix("check.")
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
