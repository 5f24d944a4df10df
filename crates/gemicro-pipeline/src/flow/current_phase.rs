//! The phase that is under way, and how far it has come.

use crate::payload::AgentPayload;
use crate::steps::{Evidence, ImportStepResult, MergeOutcome};

/// A phase that is under way.
#[derive(Debug, Clone)]
pub(super) struct CurrentPhase {
    pub(super) phase: String,
    /// How often it was entered, this time included.
    pub(super) round: u32,
    /// The phase that led here.
    pub(super) from: Option<String>,
    /// Why it is entered again.
    pub(super) feedback: Option<String>,
    /// What the phase before remarks, although nothing has to change.
    pub(super) remarks: Option<String>,
    /// The tree that the agent found.
    pub(super) tree: String,
    pub(super) progress: PhaseProgress,
}

/// How far a phase has come.
#[derive(Debug, Clone)]
pub(super) enum PhaseProgress {
    /// It was entered; a person may have to say yes first.
    Entered,
    /// It was stated that it began.
    Started,
    /// An agent's answer cannot be used.
    AskedAgain(AskedAgain),
    /// An agent gave an answer that counts.
    Answered(Box<PhaseAnswer>),
    /// A merge was tried.
    Merged(MergeOutcome),
    /// The checks ran on what was merged, or on what is to be delivered.
    Checked {
        /// What they had said before.
        before: Option<Evidence>,
    },
    /// The documents are in the archive.
    Archived,
    /// They are not, for main has gone on since it was merged.
    Behind,
    /// The branch was offered.
    Delivered,
}

/// An answer that cannot be used.
#[derive(Debug, Clone)]
pub(super) struct AskedAgain {
    pub(super) n_answers: u32,
    pub(super) why: String,
    /// The session to ask again in.
    pub(super) session: Option<String>,
}

/// An answer that counts.
#[derive(Debug, Clone)]
pub(super) struct PhaseAnswer {
    pub(super) payload: AgentPayload,
    /// What of it contradicts itself.
    pub(super) dishonest: Option<String>,
    pub(super) after: AfterAnswer,
}

/// What was done about an answer.
#[derive(Debug, Clone)]
pub(super) enum AfterAnswer {
    Nothing,
    /// What the agent did was not taken over.
    Refused(String),
    Imported(ImportStepResult),
    /// The checks ran on what was taken over, if anything was.
    Checked(Option<ImportStepResult>),
    /// What gemicro had to write down is written.
    Recorded(Option<ImportStepResult>),
}

impl PhaseProgress {
    pub(super) fn followed_by(mut self, import: AfterAnswer) -> Self {
        if let Self::Answered(answer) = &mut self {
            answer.after = import;
        }
        self
    }

    /// After checks, which had said something else before.
    pub(super) fn after_checks(self, before: Option<Evidence>) -> Self {
        let Self::Answered(answer) = &self else {
            return Self::Checked { before };
        };
        let taken = answer.after.import().cloned();
        self.followed_by(AfterAnswer::Checked(taken))
    }

    /// After gemicro wrote documents, or did not for main has gone on.
    pub(super) fn after_documents(self, is_behind: bool) -> Self {
        let Self::Answered(answer) = &self else {
            return if is_behind { Self::Behind } else { Self::Archived };
        };
        let taken = answer.after.import().cloned();
        self.followed_by(AfterAnswer::Recorded(taken))
    }
}

impl AfterAnswer {
    /// What was taken over.
    pub(super) fn import(&self) -> Option<&ImportStepResult> {
        match self {
            Self::Nothing | Self::Refused(_) => None,
            Self::Imported(taken) => Some(taken),
            Self::Checked(taken) | Self::Recorded(taken) => taken.as_ref(),
        }
    }
}

impl CurrentPhase {
    /// The answer that counts.
    pub(super) fn answer(&self) -> Option<&PhaseAnswer> {
        let PhaseProgress::Answered(answer) = &self.progress else {
            return None;
        };
        Some(answer)
    }

    /// Answers so far that could not be used.
    pub(super) fn n_answers(&self) -> u32 {
        self.asked_again().map_or(0, |asked| asked.n_answers)
    }

    /// The last answer, if it cannot be used.
    pub(super) fn asked_again(&self) -> Option<&AskedAgain> {
        let PhaseProgress::AskedAgain(asked) = &self.progress else {
            return None;
        };
        Some(asked)
    }
}
