//! How events change what a pipeline remembers.

use gemicro_core::run::events::{RunReaders, StepFailed};
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure};

use super::events::{PhaseAnswered, PhaseEnded, PhaseImported, PipelinePrepared, PipelineReaders};
use super::state::PipelineState;
use crate::decided::Decided;
use crate::documents::moved_to;
use crate::payload::ReadState;
use crate::plan::Earlier;
use crate::steps::{MergeOutcome, Merged, Recorded};
use crate::workflow::Writes;

impl PipelineState {
    pub(super) fn fold(&mut self, event: &Event) {
        let answer = self.now.as_ref().and_then(|now| now.answer.as_ref());
        let verdict = answer.map(|answer| answer.decision());
        let verdict = verdict.filter(|it| it.is_positive() || it.is_negative());
        self.apply(&event.update);
        let label = |name: &str| Some(self.plan.workflow.phase(name)?.label.clone());
        let decided = Decided::of(event, label).map(|decided| decided.after(verdict.as_ref()));
        self.decided.extend(decided);
    }

    /// Takes one fact into account.
    pub(super) fn apply(&mut self, update: &AgentUpdate) {
        match update.event_type.as_str() {
            "run_started" => self.began = update.timestamp,
            "pipeline_prepared" => {
                if let Some(it) = update.as_pipeline_prepared() {
                    self.prepare(it);
                }
            }
            "phase_started" => {
                if let Some(now) = self.now.as_mut() {
                    now.is_announced = true;
                }
            }
            "phase_answered" => {
                if let Some(it) = update.as_phase_answered() {
                    self.answer(it);
                }
            }
            "phase_imported" => {
                if let Some(it) = update.as_phase_imported() {
                    self.import(it);
                }
            }
            "phase_checked" => {
                if let (Some(it), Some(now)) = (update.as_phase_checked(), self.now.as_mut()) {
                    now.is_checked = true;
                    now.before = self.evidence.replace(it.evidence);
                }
            }
            "phase_recorded" => {
                if let (Some(it), Some(now)) = (update.as_phase_recorded(), self.now.as_mut()) {
                    now.is_recorded = it.recorded.moved.is_none();
                    now.is_behind = it.recorded.moved.is_some();
                    self.archive(&it.recorded);
                    self.tip = it.recorded.new;
                    self.tree = it.recorded.tree;
                }
            }
            "branch_merged" => {
                if let (Some(it), Some(now)) = (update.as_branch_merged(), self.now.as_mut()) {
                    self.tip.clone_from(&it.merged.new);
                    self.tree.clone_from(&it.merged.tree);
                    now.merged = Some(it.merged.clone());
                    self.is_unresolved = it.merged.outcome == MergeOutcome::Conflict;
                    self.merged = Some(it.merged);
                }
            }
            "pipeline_delivered" => {
                if let (Some(it), Some(now)) = (update.as_pipeline_delivered(), self.now.as_mut()) {
                    now.delivered = Some(it.delivered.clone());
                    self.delivered = Some(it.delivered);
                }
            }
            "phase_ended" => {
                if let Some(it) = update.as_phase_ended() {
                    self.end(it);
                }
            }
            "step_failed" => {
                if let Some(failed) = update.as_step_failed() {
                    self.fail(failed);
                }
            }
            _ => {}
        }
    }

    fn prepare(&mut self, it: PipelinePrepared) {
        let mut prepared = it.prepared;
        self.tip.clone_from(&prepared.tip);
        self.tree.clone_from(&prepared.evidence.tree);
        self.worktree.clone_from(&prepared.worktree);
        self.evidence = Some(prepared.evidence.clone());
        // What was found now is about the tip that the earlier run left, not about the base.
        if let Some(earlier) = &self.plan.earlier {
            prepared.base.clone_from(&earlier.base);
            prepared.evidence.clone_from(&earlier.on_base);
        }
        self.prepared = Some(prepared);
        if let Some(message) = self.plan.earlier.as_ref().and_then(|it| self.changed_since(it)) {
            self.failed = Some(Failure::new(ErrorKind::GateClosed, message));
            return;
        }
        self.forget_merge_that_is_gone();
        let (first, from) = match &self.plan.earlier {
            Some(earlier) => (Some(earlier.phase.clone()), earlier.from.clone()),
            None => (self.plan.workflow.modes.get(&self.plan.mode).cloned(), None),
        };
        match first {
            Some(first) => {
                let feedback = self.plan.earlier.as_ref().and_then(|it| it.feedback.clone());
                self.enter(&first, from, feedback);
            }
            None => {
                let message = format!("the workflow has no phase for mode {}", self.plan.mode);
                self.failed = Some(Failure::new(ErrorKind::InvalidInput, message));
            }
        }
    }

    /// Why the branch is not what a run can go on with as the earlier one left it.
    fn changed_since(&self, earlier: &Earlier) -> Option<String> {
        let is_as_reviewed = earlier.tree.as_ref().is_none_or(|tree| *tree == self.tree);
        if !is_as_reviewed {
            return Some(format!(
                "the branch was changed after run {} had it reviewed, so its verdicts are void: have it reviewed again",
                earlier.run
            ));
        }
        let merged = self.merged.as_ref().filter(|merged| merged.new != self.tip)?;
        let (main, before) = (&merged.main.name, &merged.new);
        if earlier.is_merging {
            // What is not in the merge of the two would be taken for the resolver's.
            return Some(format!(
                "the branch was changed after {main} was to be merged into it: have it reviewed again, which leads to \
                 that merge"
            ));
        }
        // No review is asked whether a merge is what git makes of it: only the phase that resolves it is held to that.
        let workflow = &self.plan.workflow;
        let is_refused = earlier.is_unresolved && !workflow.resolves(&earlier.phase);
        let resolving = workflow
            .phases
            .iter()
            .find(|phase| workflow.resolves(&phase.name))?;
        is_refused.then(|| {
            format!(
                "the branch has a merge of {main} in it that was refused: go on from phase {}, or take the branch back \
                 to {before}, where it was before that merge",
                resolving.name
            )
        })
    }

    /// A branch that was taken back to where it was before a merge has it not in it.
    fn forget_merge_that_is_gone(&mut self) {
        let earlier = self.plan.earlier.as_ref();
        if earlier.is_none_or(|earlier| self.plan.workflow.resolves(&earlier.phase)) {
            return;
        }
        self.is_unresolved = false;
        let is_gone = |merged: &Merged| merged.outcome == MergeOutcome::Conflict && merged.new == self.tip;
        self.merged = self.merged.take().filter(|merged| !is_gone(merged));
    }

    fn answer(&mut self, it: PhaseAnswered) {
        let max_asks = self.plan.workflow.max_asks;
        let Some(now) = self.now.as_mut() else {
            return;
        };
        now.n_answers = it.ask;
        now.session = it.session;
        match (it.refused, it.payload) {
            (None, Some(payload)) if it.state == ReadState::Ok => {
                now.answer = Some(payload);
                now.dishonest = it.dishonest;
                now.asked_again = None;
            }
            (why, _) => {
                let why = why.unwrap_or_else(|| "it has no usable payload".to_owned());
                if it.ask > max_asks {
                    let message = format!(
                        "{} gave {} answers in phase {} without a usable payload; the last one: {why}",
                        it.role, it.ask, it.phase
                    );
                    self.failed = Some(Failure::new(ErrorKind::MalformedOutput, message));
                }
                now.asked_again = Some(why);
            }
        }
    }

    fn import(&mut self, it: PhaseImported) {
        let Some(now) = self.now.as_mut() else {
            return;
        };
        now.refused = it.refused;
        if let Some(taken) = it.taken {
            self.tip.clone_from(&taken.new);
            self.tree.clone_from(&taken.tree);
            if taken.worktree.is_some() {
                self.worktree.clone_from(&taken.worktree);
            }
            self.reports.extend(taken.reports.iter().cloned());
            now.taken = Some(taken);
        }
    }

    fn end(&mut self, it: PhaseEnded) {
        if it.outcome == "done" && self.plan.workflow.resolves(&it.phase) {
            self.is_unresolved = false;
        }
        if let Some(document) = &it.document {
            self.documents.insert(it.phase.clone(), document.clone());
            if !self.written.contains(document) {
                self.written.push(document.clone());
            }
        }
        let feedback = match (&it.feedback, it.reasons.is_empty()) {
            (Some(feedback), true) => Some(feedback.clone()),
            (None, true) => None,
            (_, false) => Some(listed(&it.reasons)),
        };
        let (feedback, remarks) = match it.sends_back() {
            true => (feedback, None),
            false => (None, feedback),
        };
        let from = match it.outcome.as_str() {
            "again" => self.now.as_ref().and_then(|now| now.from.clone()),
            _ => Some(it.phase.clone()),
        };
        self.now = None;
        match (&it.next, it.outcome.as_str()) {
            (_, "stop") => {
                let why = it.reasons.first().cloned().unwrap_or_default();
                self.failed = Some(Failure::new(ErrorKind::GateClosed, why));
            }
            (Some(next), _) => {
                self.enter(next, from, feedback);
                if let Some(now) = &mut self.now {
                    now.remarks = remarks;
                }
            }
            (None, _) => self.is_done = true,
        }
        self.ended.push(it);
    }

    /// Documents are from now on where they were archived, if that is what was recorded.
    fn archive(&mut self, recorded: &Recorded) {
        let date = self.date();
        let moves = moved_to(&self.written, &self.plan.feature, &date, &recorded.paths);
        let archived = moves.values().map(|to| (to.clone(), recorded.new.clone()));
        self.archived.extend(archived);
        let places = self.documents.values_mut();
        let places = places.chain(&mut self.written);
        let ended = self.ended.iter_mut().filter_map(|it| it.document.as_mut());
        let decided = self.decided.iter_mut().filter_map(|it| it.document.as_mut());
        for place in places.chain(ended).chain(decided) {
            if let Some(to) = moves.get(place) {
                place.clone_from(to);
            }
        }
    }

    /// A step without a result. What an agent did and was refused is stated as a fact instead.
    fn fail(&mut self, failed: StepFailed) {
        let is_import = failed.step.as_str().ends_with(":import");
        if is_import && is_of_agent(failed.error.kind) {
            return;
        }
        self.failed = Some(failed.error);
    }
}

/// Whether it says something about what an agent did, not about the machine.
pub(super) fn is_of_agent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BranchSwitched | ErrorKind::ImportRefused)
}

/// Several reasons as one text.
pub(super) fn listed(reasons: &[String]) -> String {
    match reasons {
        [only] => only.clone(),
        several => several.iter().map(|reason| format!("- {reason}\n")).collect(),
    }
}

/// The folders that a role may write; none where it may write everything.
pub(super) fn allowed(writes: Writes) -> Option<Vec<String>> {
    match writes {
        Writes::ReadOnly => Some(Vec::new()),
        Writes::Reviews => Some(vec!["docs/dev_docs/reviews/".to_owned()]),
        Writes::Documents => Some(vec!["docs/dev_docs/".to_owned()]),
        Writes::WorkspaceWrite => None,
    }
}
