//! What workers say, as events of a stream beside the run.

use gemicro_core::execute::AttemptMessage;
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_event::{AgentUpdate, Charge, Failure, Json, StepKey, StreamId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A worker said something about a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepReported {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// What the worker reported about the step.
    pub said: StepWord,
}
event_payload!(StepReported, "step_reported", |it| format!(
    "A worker reported on step {}",
    it.step
));

event_readers! {
    /// Readers of the events beside a run.
    pub trait ReportReaders {
        StepReported => as_step_reported, try_as_step_reported;
    }

    /// Registers the events beside runs.
    pub(crate) fn register;
}

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepWord {
    /// Where it can be picked up.
    Handle(Json),
    /// Something unknown came from outside.
    Alarm(String),
    /// A fact for the journal.
    Fact(Json),
    /// The attempt succeeded, with this output.
    Done(Json),
    /// The attempt failed, with what it cost.
    Failed {
        /// Why it failed, with its kind.
        error: Failure,
        /// What was spent: nothing known where it is missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<Charge>,
        /// Whether another attempt may follow.
        again: Again,
        /// It had not begun: nothing was done that another attempt could meet.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        not_begun: bool,
    },
}

impl StepWord {
    /// What an attempt tells on its way.
    pub(super) fn attempt_said(message: AttemptMessage) -> Self {
        match message {
            AttemptMessage::Handle(handle) => Self::Handle(handle),
            AttemptMessage::Alarm(message) => Self::Alarm(message),
            AttemptMessage::Fact(fact) => Self::Fact(Json::of(&fact).unwrap_or_default()),
        }
    }

    /// How an attempt ended, and whether it is certain that it had not begun.
    pub(super) fn attempt_ended(ended: &Result<StepOutput, StepFailure>, not_begun: bool) -> Self {
        match ended {
            Ok(output) => Self::Done(Json::of(output).unwrap_or_default()),
            Err(error) => Self::Failed {
                error: error.failure.clone(),
                charge: match error.spent {
                    AttemptCost::Nothing => Some(Charge::ZERO),
                    AttemptCost::Known(charge) => Some(charge),
                    AttemptCost::Unknown => None,
                },
                again: error.again,
                not_begun,
            },
        }
    }
}

/// What a word means to the driver.
pub(super) enum ReportMeaning {
    Message(AttemptMessage),
    Ended(Result<StepOutput, StepFailure>),
}

impl From<StepWord> for ReportMeaning {
    fn from(word: StepWord) -> Self {
        let broken = |error: String| {
            let failure = Failure::new(gemicro_event::ErrorKind::StorageError, error);
            Self::Ended(Err(StepFailure::new(failure, AttemptCost::Unknown)))
        };
        match word {
            StepWord::Handle(handle) => Self::Message(AttemptMessage::Handle(handle)),
            StepWord::Alarm(message) => Self::Message(AttemptMessage::Alarm(message)),
            StepWord::Fact(fact) => match fact.parse::<AgentUpdate>() {
                Ok(fact) => Self::Message(AttemptMessage::Fact(fact)),
                Err(error) => broken(error.to_string()),
            },
            StepWord::Done(output) => match output.parse::<StepOutput>() {
                Ok(output) => Self::Ended(Ok(output)),
                Err(error) => broken(error.to_string()),
            },
            StepWord::Failed {
                error, charge, again, ..
            } => Self::Ended(Err(StepFailure {
                failure: error,
                spent: charge.map_or(AttemptCost::Unknown, AttemptCost::Known),
                again,
            })),
        }
    }
}

/// What a worker is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkerErrand {
    /// The run that wants it.
    pub(super) run: StreamId,
    pub(super) step: Step,
    /// What an earlier attempt left outside.
    pub(super) handle: Option<Json>,
}

/// The stream beside a run.
pub(crate) fn steps_stream(run: &StreamId) -> StreamId {
    let digest = Sha256::digest(format!("steps of {run}"));
    let letters: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    StreamId::new(format!("steps-{letters}")).expect("letters, digits and a dash are an id")
}
