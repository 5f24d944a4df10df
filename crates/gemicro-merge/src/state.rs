//! The state of a merge queue, folded from its journal.

use std::collections::BTreeMap;

use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure, Json};
use gemicro_pipeline::steps::Evidence;
use serde::de::DeserializeOwned;

use crate::plan::{MergePlan, QueuedBranch};
use crate::search::{NextMove, find_next};
use crate::steps::{BuildResult, LandResult, PushResult};

/// How often the target may move while the checks run.
const MOST_RESTARTS: u32 = 10;

/// The state of the queue.
#[derive(Debug)]
pub struct MergeState {
    pub(crate) plan: MergePlan,
    /// Branches whose merge made the checks fail, with the reason, in the order they were found.
    pub(crate) failed_checks: Vec<(String, String)>,
    /// The current chain; `None` if it must be built.
    pub(crate) build: Option<BuildResult>,
    pub(crate) n_builds: u32,
    /// How often the target moved.
    n_restarts: u32,
    /// Why the checks of a commit failed; empty if they passed.
    verdicts: BTreeMap<String, Vec<String>>,
    pub(crate) landed: Option<LandResult>,
    pub(crate) n_lands: u32,
    pub(crate) pushed: Option<Result<PushResult, Failure>>,
    pub(crate) failed: Option<Failure>,
    /// What happened so far, one sentence each.
    log: Vec<String>,
}

impl MergeState {
    pub(crate) fn new(plan: MergePlan) -> Self {
        Self {
            plan,
            failed_checks: Vec::new(),
            build: None,
            n_builds: 0,
            n_restarts: 0,
            verdicts: BTreeMap::new(),
            landed: None,
            n_lands: 0,
            pushed: None,
            failed: None,
            log: Vec::new(),
        }
    }

    /// What happened so far, one sentence each.
    #[must_use]
    pub fn log(&self) -> &[String] {
        &self.log
    }

    /// The name of the target branch.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.plan.into
    }

    /// The branches that are still in the queue.
    pub(crate) fn queue(&self) -> Vec<QueuedBranch> {
        let is_out = |branch: &str| self.failed_checks.iter().any(|(name, _)| name == branch);
        let queue = self.plan.branches.iter().filter(|it| !is_out(&it.branch));
        queue.cloned().collect()
    }

    /// What to do with the current chain.
    pub(crate) fn next_move(&self, build: &BuildResult) -> NextMove {
        let passed = |at: usize| Some(self.verdicts.get(commit_at(build, at))?.is_empty());
        find_next(build.chain.len(), passed)
    }

    pub(crate) fn fold(&mut self, event: &Event) {
        if let Some(started) = event.update.as_step_started()
            && let Some(commit) = started.step.as_str().strip_prefix("check.")
        {
            let line = format!(
                "running the checks at {} ({}) …",
                short(commit),
                self.branch_of(commit)
            );
            self.log.push(line);
        }
        if let Some(failed) = event.update.as_step_failed() {
            match failed.step.as_str() {
                "push" => self.pushed = Some(Err(failed.error)),
                _ => self.failed = Some(failed.error),
            }
        }
        let Some(completed) = event.update.as_step_completed() else {
            return;
        };
        let (kind, name) = completed
            .step
            .as_str()
            .split_once('.')
            .unwrap_or((completed.step.as_str(), ""));
        match kind {
            "build" => self.fold_output(&completed.output, Self::fold_build),
            "check" => self.fold_output(&completed.output, |it, evidence| it.fold_check(name, &evidence)),
            "land" => self.fold_output(&completed.output, Self::fold_land),
            "push" => self.fold_output(&completed.output, |it, pushed: PushResult| {
                it.log
                    .push(format!("pushed {} to {}", it.plan.into, pushed.remote));
                it.pushed = Some(Ok(pushed));
            }),
            _ => {}
        }
    }

    fn fold_output<T: DeserializeOwned>(&mut self, output: &Json, fold: impl FnOnce(&mut Self, T)) {
        match output.parse() {
            Ok(output) => fold(self, output),
            Err(error) => self.failed = Some(Failure::new(ErrorKind::StorageError, error.to_string())),
        }
    }

    fn fold_build(&mut self, build: BuildResult) {
        self.n_builds += 1;
        let names: Vec<&str> = build.chain.iter().map(|it| it.branch.as_str()).collect();
        let base = short(&build.base);
        self.log.push(match names.as_slice() {
            [] => format!("nothing to merge into {} at {base}", self.plan.into),
            names => format!(
                "merged on top of {} at {base}: {}",
                self.plan.into,
                names.join(", ")
            ),
        });
        for it in &build.conflicts {
            let files = it.files.join(", ");
            self.log
                .push(format!("{} conflicts with {} in {files}", it.branch, it.with));
        }
        self.build = Some(build);
    }

    fn fold_check(&mut self, commit: &str, evidence: &Evidence) {
        let faults = evidence.faults();
        let Some(build) = &self.build else { return };
        let word = if faults.is_empty() { "pass" } else { "fail" };
        let line = format!(
            "the checks {word} at {} ({})",
            short(commit),
            self.branch_of(commit)
        );
        self.log.push(line);
        self.verdicts.insert(commit.to_owned(), faults);
        match self.next_move(build) {
            NextMove::Check(_) | NextMove::Land => {}
            NextMove::TakeOut(at) => {
                let (branch, why) = (build.chain[at - 1].branch.clone(), self.why(build, at));
                self.log
                    .push(format!("{branch} is taken out: its merge makes the checks fail"));
                self.failed_checks.push((branch, why));
                self.build = None;
            }
            NextMove::TargetFails => {
                let message = format!(
                    "the checks already fail on {} at {}, before any merge; fix them there first: {}",
                    self.plan.into,
                    short(&build.base),
                    self.why(build, 0)
                );
                self.failed = Some(Failure::new(ErrorKind::ChecksFailed, message));
            }
        }
    }

    /// The branch that a commit of the chain merges, or the target.
    #[must_use]
    pub fn branch_of(&self, commit: &str) -> &str {
        let mut chain = self.build.iter().flat_map(|build| &build.chain);
        let merged = chain.find(|it| it.commit == commit);
        merged.map_or(&self.plan.into, |it| &it.branch)
    }

    /// Why the checks failed at a position of the chain.
    fn why(&self, build: &BuildResult, at: usize) -> String {
        let faults = self.verdicts.get(commit_at(build, at));
        faults.map(|faults| faults.join("\n")).unwrap_or_default()
    }

    fn fold_land(&mut self, landed: LandResult) {
        self.n_lands += 1;
        if landed != LandResult::TargetMoved {
            self.log
                .push(format!("{} has the merged branches", self.plan.into));
            self.landed = Some(landed);
            return;
        }
        self.n_restarts += 1;
        self.build = None;
        self.log.push(format!(
            "{} moved meanwhile: starting again on top of it",
            self.plan.into
        ));
        if self.n_restarts > MOST_RESTARTS {
            let message = format!(
                "{} moved {} times while the checks ran; try again when nothing else changes it",
                self.plan.into, self.n_restarts
            );
            self.failed = Some(Failure::new(ErrorKind::Conflict, message));
        }
    }
}

/// The commit at a position: 0 is the target.
pub(crate) fn commit_at(build: &BuildResult, at: usize) -> &str {
    match at.checked_sub(1) {
        None => &build.base,
        Some(idx) => &build.chain[idx].commit,
    }
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
