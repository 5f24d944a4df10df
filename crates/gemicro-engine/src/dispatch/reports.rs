//! The reports of workers, as events of a separate stream for each run.

use gemicro_core::execute::AttemptMessage;
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_event::{AgentUpdate, Charge, Failure, Json, StepKey, StreamId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A worker reported on a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepReported {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// The report.
    pub said: StepWord,
}
event_payload!(StepReported, "step_reported", |it| format!(
    "A worker reported on step {}",
    it.step
));

event_readers! {
    /// Readers of the events of report streams.
    pub trait ReportReaders {
        StepReported => as_step_reported, try_as_step_reported;
    }

    /// Registers the events of report streams.
    pub(crate) fn register;
}

/// The contents of a worker's report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepWord {
    /// A handle to resume the attempt with.
    Handle(Json),
    /// An unexpected message from outside.
    Alarm(String),
    /// An event for the journal.
    Fact(Json),
    /// The attempt succeeded, with this output.
    Done(Json),
    /// The attempt failed.
    Failed {
        /// Why it failed, with its kind.
        error: Failure,
        /// The cost; absent if it is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<Charge>,
        /// Whether another attempt may follow.
        again: Again,
        /// Whether it had not begun, so that another attempt meets no changes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        not_begun: bool,
    },
}

impl StepWord {
    /// Converts a message of a running attempt.
    pub(super) fn attempt_said(message: AttemptMessage) -> Self {
        match message {
            AttemptMessage::Handle(handle) => Self::Handle(handle),
            AttemptMessage::Alarm(message) => Self::Alarm(message),
            AttemptMessage::Fact(fact) => Self::Fact(Json::of(&fact).unwrap_or_default()),
        }
    }

    /// The end of an attempt, and whether it certainly had not begun.
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

/// The meaning of a report for the driver.
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

/// The work order of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkerErrand {
    /// The run that the step belongs to.
    pub(super) run: StreamId,
    pub(super) step: Step,
    /// The handle that an earlier attempt left.
    pub(super) handle: Option<Json>,
}

/// The id of a run's report stream.
pub(crate) fn steps_stream(run: &StreamId) -> StreamId {
    let digest = Sha256::digest(format!("steps of {run}"));
    let letters: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    StreamId::new(format!("steps-{letters}")).expect("letters, digits and a dash are an id")
}
