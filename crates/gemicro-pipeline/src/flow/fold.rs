//! Updates the state of a pipeline from its events.

use gemicro_core::run::events::{RunStarted, StepFailed};
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, event_enum};

use super::current_phase::{AfterAnswer, AskedAgain, CurrentPhase, PhaseAnswer, PhaseProgress};
use super::events::{
    BranchMerged, OwnerInstructed, OwnerNotesChanged, PhaseAnswered, PhaseChecked, PhaseEnded, PhaseImported,
    PhaseRecorded, PhaseStarted, PipelineDelivered, PipelinePrepared,
};
use super::project_memory::may_propose_skill;
use super::state::PipelineState;
use crate::documents::moved_to;
use crate::payload::ReadState;
use crate::phase_decided::PhaseDecided;
use crate::plan::{CarriedWork, LastMerge};
use crate::steps::{ImportStepResult, InitResult, MergeOutcome, ProposedSkill, RecordResult};
use crate::workflow::Writes;

event_enum! {
    /// The events that a pipeline reads from its journal.
    enum PipelineEvent {
        noticed: RunStarted, PhaseStarted;
        read: PipelinePrepared, PhaseAnswered, PhaseImported, PhaseChecked, PhaseRecorded, BranchMerged,
            PipelineDelivered, PhaseEnded, OwnerNotesChanged, OwnerInstructed, StepFailed;
    }
}

impl PipelineState {
    pub(super) fn fold(&mut self, event: &Event) {
        let answer = self.current.as_ref().and_then(CurrentPhase::answer);
        let verdict = answer.map(|answer| answer.payload.decision());
        let verdict = verdict.filter(|it| it.is_positive() || it.is_negative());
        self.apply(&event.update);
        let label = |name: &str| Some(self.plan.workflow.phase(name)?.label.clone());
        let decided = PhaseDecided::of(event, label).map(|decided| decided.after(verdict.as_ref()));
        self.decided.extend(decided);
    }

    pub(super) fn apply(&mut self, update: &AgentUpdate) {
        match PipelineEvent::of(update) {
            PipelineEvent::RunStarted => self.began = update.timestamp,
            PipelineEvent::PipelinePrepared(it) => self.prepare(it.prepared),
            PipelineEvent::PhaseStarted => self.advance(|_| PhaseProgress::Started),
            PipelineEvent::PhaseAnswered(it) => self.answer(*it),
            PipelineEvent::PhaseImported(it) => self.import(*it),
            PipelineEvent::PhaseChecked(it) => {
                let before = self.evidence.replace(it.evidence);
                self.advance(|progress| progress.after_checks(before));
            }
            PipelineEvent::PhaseRecorded(it) => self.record(it.recorded),
            PipelineEvent::BranchMerged(it) => {
                self.tip.clone_from(&it.merged.new);
                self.tree.clone_from(&it.merged.tree);
                self.advance(|_| PhaseProgress::Merged(it.merged.outcome));
                self.merge = Some(LastMerge::from_merge(it.merged));
            }
            PipelineEvent::PipelineDelivered(it) => {
                self.advance(|_| PhaseProgress::Delivered);
                self.delivered = Some(it.delivered);
            }
            PipelineEvent::PhaseEnded(it) => self.end(*it),
            PipelineEvent::OwnerNotesChanged(it) => self.notes = it.notes,
            PipelineEvent::OwnerInstructed(it) => self.instructions.push(*it),
            PipelineEvent::StepFailed(it) => self.fail(*it),
            PipelineEvent::Unknown => {}
        }
    }

    /// Advances the progress of the current phase.
    fn advance(&mut self, next: impl FnOnce(PhaseProgress) -> PhaseProgress) {
        if let Some(current) = &mut self.current {
            let progress = std::mem::replace(&mut current.progress, PhaseProgress::Started);
            current.progress = next(progress);
        }
    }

    fn prepare(&mut self, mut prepared: InitResult) {
        self.tip.clone_from(&prepared.tip);
        self.tree.clone_from(&prepared.evidence.tree);
        self.worktree.clone_from(&prepared.worktree);
        self.evidence = Some(prepared.evidence.clone());
        self.notes.clone_from(&prepared.human_review);
        let Some(earlier) = self.plan.earlier.clone() else {
            self.prepared = Some(prepared);
            match self.plan.workflow.modes.get(&self.plan.mode).cloned() {
                Some(first) => self.enter(&first, None, None),
                None => {
                    let message = format!("the workflow has no phase for mode {}", self.plan.mode);
                    self.failed = Some(Failure::new(ErrorKind::InvalidInput, message));
                }
            }
            return;
        };
        // This evidence is about the tip that the earlier run left, not about the base.
        prepared.base.clone_from(&earlier.base);
        prepared.evidence.clone_from(&earlier.on_base);
        self.prepared = Some(prepared);
        match self.merge_since(&earlier) {
            Err(message) => self.failed = Some(Failure::new(ErrorKind::GateClosed, message)),
            Ok(merge) => {
                self.merge = merge;
                self.enter(&earlier.phase, earlier.from, earlier.feedback);
            }
        }
    }

    /// Returns the last merge if the branch still contains it or this run must resolve it. Fails if this run cannot
    /// continue from the branch as the earlier run left it.
    fn merge_since(&self, earlier: &CarriedWork) -> Result<Option<LastMerge>, String> {
        if earlier.tree.as_ref().is_some_and(|tree| *tree != self.tree) {
            return Err(format!(
                "the branch was changed after run {} reviewed it, so its verdicts no longer count: restart from the \
                 review",
                earlier.run
            ));
        }
        let Some(merge) = &earlier.merge else {
            return Ok(None);
        };
        let (merged, workflow) = (merge.merged(), &self.plan.workflow);
        let resolves = workflow.resolves(&earlier.phase);
        let is_before = merged.outcome == MergeOutcome::Conflict && merged.new == self.tip;
        match merge {
            _ if is_before => Ok(resolves.then(|| LastMerge::Pending(merged.clone()))),
            LastMerge::Pending(_) if !resolves => Ok(None),
            // Changes made after that point would be attributed to the resolver.
            LastMerge::Pending(_) => Err(format!(
                "the branch was changed before {} was merged into it: restart from the review",
                merged.main.name
            )),
            // Reviews do not check that a merge is what git would produce.
            LastMerge::Refused(_) if !resolves => {
                let mut phases = workflow.phases.iter().map(|it| it.name.as_str());
                let resolving = phases.find(|name| workflow.resolves(name)).unwrap_or_default();
                Err(format!(
                    "the branch contains a refused merge of {}: restart from phase {resolving}, or reset the branch \
                     to {}, before that merge",
                    merged.main.name, merged.new
                ))
            }
            LastMerge::Refused(_) | LastMerge::Held(_) => Ok(Some(merge.clone())),
        }
    }

    fn answer(&mut self, it: PhaseAnswered) {
        let progress = match (it.refused, it.payload) {
            (None, Some(payload)) if it.state == ReadState::Ok => {
                PhaseProgress::Answered(Box::new(PhaseAnswer {
                    payload,
                    dishonest: it.dishonest,
                    after: AfterAnswer::Nothing,
                }))
            }
            (why, _) => {
                let why = why.unwrap_or_else(|| "it has no usable payload".to_owned());
                if it.ask > self.plan.workflow.max_asks {
                    let message = format!(
                        "{} gave {} answers in phase {} without a usable payload; the last one: {why}",
                        it.role, it.ask, it.phase
                    );
                    self.failed = Some(Failure::new(ErrorKind::MalformedOutput, message));
                }
                PhaseProgress::AskedAgain(AskedAgain {
                    n_answers: it.ask,
                    why,
                    session: it.session,
                })
            }
        };
        self.advance(|_| progress);
    }

    fn import(&mut self, it: PhaseImported) {
        let after = match (it.taken, it.refused) {
            (Some(taken), _) => {
                self.tip.clone_from(&taken.new);
                self.tree.clone_from(&taken.tree);
                if taken.worktree.is_some() {
                    self.worktree.clone_from(&taken.worktree);
                }
                self.reports.extend(taken.reports.iter().cloned());
                if self.plan.workflow.resolves(&it.phase) {
                    self.merge = self.merge.take().map(|merge| resolve_merge(merge, &taken));
                }
                AfterAnswer::Imported(taken)
            }
            (None, Some(why)) => AfterAnswer::Refused(why),
            (None, None) => return,
        };
        self.advance(|progress| progress.followed_by(after));
    }

    fn record(&mut self, recorded: RecordResult) {
        self.archive(&recorded);
        self.advance(|progress| progress.after_documents(recorded.moved.is_some()));
        if let Some(LastMerge::Pending(merged)) = &mut self.merge {
            merged.new.clone_from(&recorded.new);
        }
        self.tip = recorded.new;
        self.tree = recorded.tree;
    }

    fn end(&mut self, it: PhaseEnded) {
        if let Some(document) = &it.document {
            self.documents.insert(it.phase.clone(), document.clone());
            if !self.written.contains(document) {
                self.written.push(document.clone());
            }
        }
        let feedback = match (&it.feedback, it.reasons.is_empty()) {
            (Some(feedback), true) => Some(feedback.clone()),
            (None, true) => None,
            (_, false) => Some(join_reasons(&it.reasons)),
        };
        let (feedback, remarks) = match it.sends_back() {
            true => (feedback, None),
            false => (None, feedback),
        };
        let from = match it.outcome.as_str() {
            "again" => self.current.as_ref().and_then(|current| current.from.clone()),
            _ => Some(it.phase.clone()),
        };
        self.keep_skill(&it);
        self.current = None;
        match (&it.next, it.outcome.as_str()) {
            (_, "stop") => {
                let why = it.reasons.first().cloned().unwrap_or_default();
                self.failed = Some(Failure::new(ErrorKind::GateClosed, why));
            }
            (Some(next), _) => {
                self.enter(next, from, feedback);
                if let Some(current) = &mut self.current {
                    current.remarks = remarks;
                }
            }
            (None, _) => self.is_done = true,
        }
        self.ended.push(it);
    }

    /// Keeps the skill of an agent whose hard work was accepted.
    fn keep_skill(&mut self, ended: &PhaseEnded) {
        let role = self
            .plan
            .workflow
            .phase(&ended.phase)
            .and_then(|it| self.role_of(it));
        let (Some(current), Some(role)) = (&self.current, role) else {
            return;
        };
        let skill = current.answer().and_then(|answer| answer.payload.skill());
        let skill = skill.filter(|skill| {
            ended.outcome == "done" && may_propose_skill(current, role) && skill.check().is_ok()
        });
        if let Some(skill) = skill {
            let role = role.title.clone();
            self.skills.retain(|it| it.role != role);
            self.skills.push(ProposedSkill { role, skill });
        }
    }

    /// Updates the paths of documents that were moved to the archive.
    fn archive(&mut self, recorded: &RecordResult) {
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

    /// Handles a failed step. If an agent's changes were refused, an event already says so.
    fn fail(&mut self, failed: StepFailed) {
        let is_import = failed.step.as_str().ends_with(":import");
        if is_import && is_of_agent(failed.error.kind) {
            return;
        }
        self.failed = Some(failed.error);
    }
}

/// Updates a merge after an agent resolved its conflicts.
fn resolve_merge(merge: LastMerge, taken: &ImportStepResult) -> LastMerge {
    match taken.faults.is_empty() {
        true => LastMerge::Held(merge.merged().clone()),
        false if taken.new == taken.old => merge,
        // Earlier versions moved the branch first.
        false => LastMerge::Refused(merge.merged().clone()),
    }
}

/// Returns true for errors caused by the agent's changes, not by the machine.
pub(super) fn is_of_agent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BranchSwitched | ErrorKind::ImportRefused)
}

/// Joins reasons into one text, as a list if there are several.
pub(super) fn join_reasons(reasons: &[String]) -> String {
    match reasons {
        [only] => only.clone(),
        several => several.iter().map(|reason| format!("- {reason}\n")).collect(),
    }
}

/// Returns the folders that a role may write; `None` if it may write everything.
pub(super) fn writable_folders(writes: Writes) -> Option<Vec<String>> {
    match writes {
        Writes::ReadOnly => Some(Vec::new()),
        Writes::Reviews => Some(vec!["docs/dev_docs/reviews/".to_owned()]),
        Writes::Documents => Some(vec!["docs/dev_docs/".to_owned()]),
        Writes::WorkspaceWrite => None,
    }
}
