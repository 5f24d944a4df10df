//! How a run ended for the one who watched it.

use gemicro_core::research::events::{FinalResult, ResearchReaders};
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure, Json, StreamId};

use crate::command_error::{CommandError, ErrorReport};

/// The last word about a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunEnd {
    /// It has a result: its data as stored, and as research if it is one.
    Completed {
        /// The data of `final_result`.
        data: Json,
        result: Option<Box<FinalResult>>,
    },
    Failed(Failure),
    /// It can be resumed: it was stopped (`interrupted`), or its question has no answer (`input_required`).
    Suspended(ErrorKind),
}

impl RunEnd {
    /// What an event says about the end; `None` where the run continues.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let update = &event.update;
        let failed = |kind: ErrorKind, message: &str| Some(Self::Failed(Failure::new(kind, message)));
        match update.event_type.as_str() {
            "final_result" => {
                let result = update.as_final_result().map(Box::new);
                Some(Self::Completed {
                    data: update.data.clone(),
                    result,
                })
            }
            "run_failed" => match update.as_run_failed() {
                Some(run_failed) => Some(Self::Failed(run_failed.error)),
                None => failed(ErrorKind::Internal, &update.message),
            },
            "run_cancelled" => failed(ErrorKind::Cancelled, "the run was cancelled"),
            "run_interrupted" => failed(ErrorKind::Interrupted, &update.message),
            "run_suspended" => Some(Self::Suspended(ErrorKind::Interrupted)),
            _ => None,
        }
    }

    /// What the command that watched it returns.
    pub(crate) fn outcome(&self, run: &StreamId) -> Result<(), CommandError> {
        match self {
            Self::Completed { .. } => Ok(()),
            Self::Suspended(kind) => Err(CommandError::AlreadyReported(kind.exit_code())),
            Self::Failed(_) => Err(CommandError::Report(Box::new(self.error_report(run)))),
        }
    }

    /// The failure with its hint; a suspended run is one, too.
    pub(crate) fn error_report(&self, run: &StreamId) -> ErrorReport {
        const ANSWER: &str = "answer with `gemicro answer RUN yes` or `no`, then run `gemicro resume RUN`";
        let (failure, hint) = match self {
            Self::Failed(failure) if failure.kind == ErrorKind::Interrupted => {
                (failure.clone(), Some("`gemicro show RUN` shows what it did"))
            }
            Self::Failed(failure) => (failure.clone(), None),
            Self::Suspended(kind @ ErrorKind::InputRequired) => {
                let message = format!("run {run} is suspended until its question is answered");
                (Failure::new(*kind, message), Some(ANSWER))
            }
            Self::Suspended(_) | Self::Completed { .. } => {
                let message = format!("run {run} is suspended");
                (Failure::new(ErrorKind::Interrupted, message), None)
            }
        };
        ErrorReport {
            failure,
            hint: hint.map(str::to_owned),
            run: Some(run.clone()),
        }
    }
}
