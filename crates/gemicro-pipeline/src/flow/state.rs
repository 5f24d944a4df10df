//! The state of a pipeline, rebuilt from its journal.

use std::collections::BTreeMap;

use gemicro_event::{Failure, Timestamp};

use crate::payload::PayloadShape;
use crate::phase_decided::PhaseDecided;
use crate::plan::{LastMerge, PipelinePlan};
use crate::steps::{DeliverResult, Evidence, InitResult, ProposedSkill};
use crate::workflow::{Phase, PhaseWork, Role};

use super::current_phase::{CurrentPhase, PhaseProgress};
use super::events::{OwnerInstructed, PhaseEnded};

/// The state of a pipeline.
#[derive(Debug, Clone)]
pub struct PipelineState {
    pub(super) plan: PipelinePlan,
    pub(super) prepared: Option<InitResult>,
    pub(super) current: Option<CurrentPhase>,
    /// Tip of the branch.
    pub(super) tip: String,
    /// Tree of the tip, without the documents of tasks.
    pub(super) tree: String,
    /// How many times each phase was entered.
    pub(super) rounds: BTreeMap<String, u32>,
    /// The latest document of each phase.
    pub(super) documents: BTreeMap<String, String>,
    /// All documents of the task, in order of creation.
    pub(super) written: Vec<String>,
    /// Archived documents, and the commit that archived each.
    pub(super) archived: BTreeMap<String, String>,
    /// The latest results of the checks.
    pub(super) evidence: Option<Evidence>,
    pub(super) merge: Option<LastMerge>,
    pub(super) delivered: Option<DeliverResult>,
    /// All completed phases, in order.
    pub(super) ended: Vec<PhaseEnded>,
    /// All decisions, of this run and the runs it continues.
    pub(super) decided: Vec<PhaseDecided>,
    /// The checkout for the user to look at.
    pub(super) worktree: Option<String>,
    /// Changes that need a look.
    pub(super) reports: Vec<String>,
    /// The latest skill of each role that solved something hard, proposed at delivery.
    pub(super) skills: Vec<ProposedSkill>,
    /// The owner's notes file, as last read.
    pub(super) notes: Option<String>,
    /// The owner's instructions so far.
    pub(super) instructions: Vec<OwnerInstructed>,
    /// Why the task cannot continue.
    pub(super) failed: Option<Failure>,
    pub(super) is_done: bool,
    /// When the run began.
    pub(super) began: Timestamp,
}

impl PipelineState {
    pub(super) fn new(plan: PipelinePlan) -> Self {
        let earlier = plan.earlier.clone();
        let (documents, rounds, written, decided, merge) = earlier
            .map(|it| (it.documents, it.rounds, it.written, it.decided, it.merge))
            .unwrap_or_default();
        Self {
            written: written.into_keys().collect(),
            merge,
            plan,
            archived: BTreeMap::new(),
            prepared: None,
            current: None,
            tip: String::new(),
            tree: String::new(),
            rounds,
            documents,
            evidence: None,
            delivered: None,
            ended: Vec::new(),
            decided,
            worktree: None,
            reports: Vec::new(),
            skills: Vec::new(),
            notes: None,
            instructions: Vec::new(),
            failed: None,
            is_done: false,
            began: Timestamp::default(),
        }
    }

    /// The frozen plan that the run follows.
    #[must_use]
    pub fn plan(&self) -> &PipelinePlan {
        &self.plan
    }

    /// The branch, once it exists.
    #[must_use]
    pub fn branch(&self) -> Option<&InitResult> {
        self.prepared.as_ref()
    }

    /// The last merge of main.
    #[must_use]
    pub fn last_merge(&self) -> Option<&LastMerge> {
        self.merge.as_ref()
    }

    /// All completed phases, in order.
    #[must_use]
    pub fn ended_phases(&self) -> &[PhaseEnded] {
        &self.ended
    }

    /// All decisions, of this run and the runs it continues.
    #[must_use]
    pub fn decisions(&self) -> &[PhaseDecided] {
        &self.decided
    }

    /// The latest document of each phase.
    #[must_use]
    pub fn documents(&self) -> &BTreeMap<String, String> {
        &self.documents
    }

    /// How many times each phase was entered.
    #[must_use]
    pub fn rounds(&self) -> &BTreeMap<String, u32> {
        &self.rounds
    }

    /// The tree that the last review passed, if its outcome was PASS.
    #[must_use]
    pub fn reviewed_tree(&self) -> Option<&str> {
        let is_review = |it: &&PhaseEnded| self.plan.workflow.reviews(&it.phase);
        match self.ended.iter().rev().find(is_review) {
            Some(last) => (last.outcome == "PASS").then_some(last.tree.as_str()),
            None => self.plan.earlier.as_ref()?.tree.as_deref(),
        }
    }

    /// All documents, each with the commit that holds its phase's version.
    #[must_use]
    pub fn written_documents(&self) -> BTreeMap<String, String> {
        let written = self.written.iter();
        written
            .filter_map(|path| Some((path.clone(), self.written_in(path)?)))
            .collect()
    }

    /// Returns the commit that holds a document as its phase left it, in this run or an earlier one.
    pub(super) fn written_in(&self, document: &str) -> Option<String> {
        if let Some(commit) = self.archived.get(document) {
            return Some(commit.clone());
        }
        let mut ended = self.ended.iter().rev();
        if let Some(it) = ended.find(|it| it.document.as_deref() == Some(document)) {
            return Some(it.commit.clone());
        }
        let earlier = self.plan.earlier.as_ref();
        let before = earlier.and_then(|it| it.written.get(document).cloned());
        before.or_else(|| self.prepared.as_ref().map(|it| it.tip.clone()))
    }

    /// The current phase and its round.
    #[must_use]
    pub fn current(&self) -> Option<(&Phase, u32)> {
        let current = self.current.as_ref()?;
        Some((self.plan.workflow.phase(&current.phase)?, current.round))
    }

    pub(super) fn enter(&mut self, name: &str, from: Option<String>, feedback: Option<String>) {
        let round = self.rounds.get(name).copied().unwrap_or(0) + 1;
        self.rounds.insert(name.to_owned(), round);
        self.current = Some(CurrentPhase {
            phase: name.to_owned(),
            round,
            from,
            feedback,
            remarks: None,
            tree: self.tree.clone(),
            progress: PhaseProgress::Entered,
        });
    }

    /// Returns true if a phase has reached its limit of rounds.
    pub(super) fn is_spent(&self, name: &str) -> bool {
        let most = self.plan.workflow.phase(name).map_or(0, |phase| phase.rounds);
        self.times_entered(name) >= most
    }

    /// How many times this run entered a phase. Rounds of earlier runs do not count towards the limit.
    pub(super) fn times_entered(&self, name: &str) -> u32 {
        let entered = self.rounds.get(name).copied().unwrap_or(0);
        let before = self.plan.earlier.as_ref();
        let before = before.and_then(|it| it.rounds.get(name)).copied().unwrap_or(0);
        entered.saturating_sub(before)
    }

    pub(super) fn phase_of<'a>(&'a self, current: &CurrentPhase) -> Option<&'a Phase> {
        self.plan.workflow.phase(&current.phase)
    }

    /// Returns the role of a phase if an agent works in it.
    pub(super) fn role_of<'a>(&'a self, phase: &'a Phase) -> Option<&'a Role> {
        match &phase.work {
            PhaseWork::Agent { role, .. } => self.plan.workflow.roles.get(role),
            PhaseWork::Merge | PhaseWork::Deliver => None,
        }
    }

    /// Returns the phase whose role returns this kind of payload.
    pub(super) fn phase_with(&self, shape: PayloadShape) -> Option<&Phase> {
        let mut phases = self.plan.workflow.phases.iter();
        phases.find(|phase| self.role_of(phase).is_some_and(|role| role.shape == shape))
    }

    /// The date on which the run began, for documents.
    pub(super) fn date(&self) -> String {
        self.began.to_string().chars().take(10).collect()
    }
}
