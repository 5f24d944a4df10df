//! The result of a merge queue: what was merged, what was taken out and why.

use std::fmt::Write;

use gemicro_core::flow::Outcome;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_event::{Json, StreamId, text};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::plan::UnreadyBranch;
use crate::state::MergeState;
use crate::steps::LandResult;

/// Maximum length of a reason, in bytes: its end has the failed test.
const MOST_WHY: usize = 2_000;

/// What became of every branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeSummary {
    /// The target branch.
    pub into: String,
    /// Its tip before.
    pub old: String,
    /// Its tip after.
    pub new: String,
    /// The merged branches, in order.
    pub merged: Vec<MergedBranch>,
    /// The branches that were taken out, with the reason.
    pub taken_out: Vec<TakenOutBranch>,
    /// Branches that the target already contained.
    pub already_merged: Vec<String>,
    /// What was named and cannot be merged.
    pub not_ready: Vec<UnreadyBranch>,
    /// The remote that the target was pushed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed_to: Option<String>,
    /// Why the target was not pushed, although it should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_error: Option<String>,
    /// The user's checkout that was updated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A branch that was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedBranch {
    /// The name of the branch.
    pub branch: String,
    /// The merge commit, whose checks passed.
    pub commit: String,
    /// The pipeline that made the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<StreamId>,
}

/// A branch that was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOutBranch {
    /// The name of the branch.
    pub branch: String,
    /// `conflict` or `checks`.
    pub reason: String,
    /// The reason in words, with the end of the output of a failed check.
    pub why: String,
}

impl MergeSummary {
    /// The summary so far. Nothing is merged before the target moves.
    #[must_use]
    pub fn of(state: &MergeState) -> Self {
        let plan = &state.plan;
        let mut build = state.build.clone().unwrap_or_default();
        if state.landed.is_none() {
            build.chain.clear();
        }
        let failed = state.failed_checks.iter().map(|(branch, why)| TakenOutBranch {
            branch: branch.clone(),
            reason: "checks".to_owned(),
            why: text::last_bytes(why, MOST_WHY).to_owned(),
        });
        let conflicts = build.conflicts.iter().map(|it| TakenOutBranch {
            branch: it.branch.clone(),
            reason: "conflict".to_owned(),
            why: format!("it conflicts with {} in {}", it.with, it.files.join(", ")),
        });
        let run_of = |branch: &str| plan.branches.iter().find(|it| it.branch == branch)?.run.clone();
        let merged = build.chain.iter().map(|it| MergedBranch {
            branch: it.branch.clone(),
            commit: it.commit.clone(),
            run: run_of(&it.branch),
        });
        let (checkout, note) = match &state.landed {
            Some(LandResult::Landed { checkout, note }) => (checkout.clone(), note.clone()),
            Some(LandResult::TargetMoved) | None => (None, None),
        };
        let pushed = state.pushed.as_ref();
        Self {
            into: plan.into.clone(),
            new: build.chain.last().map_or(&build.base, |it| &it.commit).clone(),
            old: build.base.clone(),
            taken_out: failed.chain(conflicts).collect(),
            merged: merged.collect(),
            already_merged: build.already.clone(),
            not_ready: plan.not_ready.clone(),
            pushed_to: pushed.and_then(|it| it.as_ref().ok()).map(|it| it.remote.clone()),
            push_error: pushed
                .and_then(|it| it.as_ref().err())
                .map(|failure| failure.message.clone()),
            checkout,
            notes: note.into_iter().collect(),
        }
    }

    pub(crate) fn outcome(&self, run: &RunState) -> Outcome {
        let n_all = self.merged.len() + self.taken_out.len();
        let message = match (self.merged.len(), n_all) {
            (_, 0) => format!("Nothing to merge into {}", self.into),
            (n_merged, _) => format!("Merged {n_merged} of {n_all} branches into {}", self.into),
        };
        let mut data = json!({ "answer": self.text() });
        let (fields, own) = (
            json!(self),
            data.as_object_mut().expect("it was made as an object"),
        );
        if let serde_json::Value::Object(fields) = fields {
            own.extend(fields);
        }
        own.insert("metadata".to_owned(), json!(ResultMetadata::of(run)));
        Outcome::Completed {
            message,
            data: Json::from(data),
        }
    }

    /// Whether everything that was named is part of the target now.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.taken_out.is_empty() && self.not_ready.is_empty() && self.push_error.is_none()
    }

    /// The summary as text, one line per branch; the reasons follow.
    #[must_use]
    pub fn text(&self) -> String {
        let mut rows: Vec<(&str, &str, String)> = Vec::new();
        for it in &self.merged {
            rows.push((&it.branch, "merged", short(&it.commit)));
        }
        for branch in &self.already_merged {
            rows.push((branch, "already merged", String::new()));
        }
        for it in &self.taken_out {
            let first = it.why.lines().next().unwrap_or_default().to_owned();
            rows.push((&it.branch, "taken out", first));
        }
        for it in &self.not_ready {
            rows.push((&it.name, "not ready", it.why.clone()));
        }
        let width = rows
            .iter()
            .map(|(name, ..)| name.chars().count())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for (name, state, about) in rows {
            let line = format!("{name:<width$}  {state:<14}  {about}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        for it in self.taken_out.iter().filter(|it| it.why.lines().count() > 1) {
            let _ = writeln!(text, "\n{}:", it.branch);
            for line in it.why.lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }
}

fn short(commit: &str) -> String {
    commit.chars().take(7).collect()
}
