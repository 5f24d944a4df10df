//! The current phase and its progress.

use crate::payload::AgentPayload;
use crate::steps::{Evidence, ImportStepResult, MergeOutcome};

/// The current phase of a pipeline.
#[derive(Debug, Clone)]
pub(super) struct CurrentPhase {
    pub(super) phase: String,
    /// How many times it was entered, including this time.
    pub(super) round: u32,
    /// The phase that led here.
    pub(super) from: Option<String>,
    /// Why it was entered again.
    pub(super) feedback: Option<String>,
    /// Remarks of the previous phase that require no change.
    pub(super) remarks: Option<String>,
    /// The tree at the start of the agent's work.
    pub(super) tree: String,
    pub(super) progress: PhaseProgress,
}

/// The progress of a phase.
#[derive(Debug, Clone)]
pub(super) enum PhaseProgress {
    /// It was entered; a person may have to approve it first.
    Entered,
    /// Its start was recorded.
    Started,
    /// The agent's answer was unusable.
    AskedAgain(AskedAgain),
    /// The agent gave a usable answer.
    Answered(Box<PhaseAnswer>),
    /// A merge was tried.
    Merged(MergeOutcome),
    /// The checks ran on the merge, or on the branch to deliver.
    Checked {
        /// The evidence before these checks.
        before: Option<Evidence>,
    },
    /// The documents are in the archive.
    Archived,
    /// The documents were not archived, because main has moved since it was merged.
    Behind,
    /// The branch was submitted for merging.
    Delivered,
}

#[derive(Debug, Clone)]
pub(super) struct AskedAgain {
    pub(super) n_answers: u32,
    pub(super) why: String,
    /// The session in which to ask again.
    pub(super) session: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct PhaseAnswer {
    pub(super) payload: AgentPayload,
    /// Contradiction within the answer, if any.
    pub(super) dishonest: Option<String>,
    pub(super) after: AfterAnswer,
}

/// The steps completed after an answer.
#[derive(Debug, Clone)]
pub(super) enum AfterAnswer {
    Nothing,
    /// The agent's changes were refused.
    Refused(String),
    Imported(ImportStepResult),
    /// The checks ran on the imported changes, if there were any.
    Checked(Option<ImportStepResult>),
    /// gemicro's own documents are written.
    Recorded(Option<ImportStepResult>),
}

impl PhaseProgress {
    pub(super) fn followed_by(mut self, import: AfterAnswer) -> Self {
        if let Self::Answered(answer) = &mut self {
            answer.after = import;
        }
        self
    }

    /// Progress after the checks; `before` is the previous evidence.
    pub(super) fn after_checks(self, before: Option<Evidence>) -> Self {
        let Self::Answered(answer) = &self else {
            return Self::Checked { before };
        };
        let taken = answer.after.import().cloned();
        self.followed_by(AfterAnswer::Checked(taken))
    }

    /// Progress after gemicro wrote its documents, or did not because main has moved.
    pub(super) fn after_documents(self, is_behind: bool) -> Self {
        let Self::Answered(answer) = &self else {
            return if is_behind { Self::Behind } else { Self::Archived };
        };
        let taken = answer.after.import().cloned();
        self.followed_by(AfterAnswer::Recorded(taken))
    }
}

impl AfterAnswer {
    /// Returns the imported changes.
    pub(super) fn import(&self) -> Option<&ImportStepResult> {
        match self {
            Self::Nothing | Self::Refused(_) => None,
            Self::Imported(taken) => Some(taken),
            Self::Checked(taken) | Self::Recorded(taken) => taken.as_ref(),
        }
    }
}

impl CurrentPhase {
    /// Returns the usable answer.
    pub(super) fn answer(&self) -> Option<&PhaseAnswer> {
        let PhaseProgress::Answered(answer) = &self.progress else {
            return None;
        };
        Some(answer)
    }

    /// Number of unusable answers so far.
    pub(super) fn n_answers(&self) -> u32 {
        self.asked_again().map_or(0, |asked| asked.n_answers)
    }

    /// Returns the last answer if it was unusable.
    pub(super) fn asked_again(&self) -> Option<&AskedAgain> {
        let PhaseProgress::AskedAgain(asked) = &self.progress else {
            return None;
        };
        Some(asked)
    }
}
