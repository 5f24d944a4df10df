//! Decides how a call ended, from the status and errors of its interaction. Nothing else does.

use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::llm::FinishReason;
use gemicro_core::models::ModelTable;
use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure, Json, Usage};
use serde_json::json;

use super::interaction::{InteractionProblem, InteractionStatus};

/// The information available when a call ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallEnding<'a> {
    pub(super) host: &'a str,
    pub(super) model: &'a str,
    pub(super) id: Option<&'a str>,
    pub(super) usage: Option<&'a Usage>,
    pub(super) problems: &'a [InteractionProblem],
    /// Whether the model called any of the offered functions.
    pub(super) has_calls: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum CallVerdict {
    Finished(FinishReason),
    Failed(StepFailure),
    /// It ended with a status unknown to this program; the text is for the alarm.
    Strange(String, StepFailure),
}

impl CallEnding<'_> {
    /// Judges a final status. A success needs a successful status and no errors.
    pub(super) fn judge(&self, status: &InteractionStatus) -> CallVerdict {
        if let Some(reason) = self.problems.iter().find_map(InteractionProblem::block) {
            let reason = excerpt(&reason);
            return CallVerdict::Finished(FinishReason::Blocked { reason });
        }
        let host = self.host;
        let problem = self.problems.first();
        let upstream = |message: String| self.failure(ErrorKind::UpstreamError, message, None);
        match status {
            InteractionStatus::Completed => match problem {
                Some(problem) => CallVerdict::Failed(self.to_failure(problem)),
                None => CallVerdict::Finished(FinishReason::Stop),
            },
            InteractionStatus::Incomplete => {
                match self.problems.iter().find(|problem| !problem.is_length()) {
                    Some(problem) => CallVerdict::Failed(self.to_failure(problem)),
                    None => CallVerdict::Finished(FinishReason::MaxTokens),
                }
            }
            InteractionStatus::BudgetExceeded | InteractionStatus::RequiresContinuation => {
                CallVerdict::Finished(FinishReason::MaxTokens)
            }
            InteractionStatus::Failed => match problem {
                Some(problem) => CallVerdict::Failed(self.to_failure(problem)),
                None => CallVerdict::Failed(upstream(format!(
                    "the interaction at {host} failed without a reason"
                ))),
            },
            InteractionStatus::Cancelled => {
                CallVerdict::Failed(upstream(format!("the interaction at {host} was cancelled there")))
            }
            InteractionStatus::RequiresAction if self.has_calls => CallVerdict::Finished(FinishReason::Stop),
            InteractionStatus::RequiresAction => CallVerdict::Failed(upstream(format!(
                "the interaction at {host} waits for an action that was never offered"
            ))),
            InteractionStatus::Running => CallVerdict::Failed(upstream(format!(
                "{host} ended the stream before the answer was complete"
            ))),
            InteractionStatus::Unknown(status) => {
                let status = excerpt(status);
                let alarm = format!("{host} ended an interaction with the unknown status `{status}`");
                let failure = format!("the interaction at {host} ended with the unknown status `{status}`");
                CallVerdict::Strange(alarm, upstream(failure))
            }
        }
    }

    /// Converts an error of the service to a failure.
    pub(super) fn to_failure(self, problem: &InteractionProblem) -> StepFailure {
        let said = excerpt(&problem.words());
        let message = format!("the interaction at {} failed: {said}", self.host);
        self.failure(problem.kind(), message, problem.code.as_deref())
    }

    fn failure(&self, kind: ErrorKind, message: String, code: Option<&str>) -> StepFailure {
        let detail = json!({ "host": self.host, "interaction": self.id, "code": code.map(excerpt) });
        StepFailure::new(
            Failure {
                detail: Some(Json::from(detail)),
                ..Failure::new(kind, message)
            },
            self.usage
                .map_or(AttemptCost::Unknown, |usage| self.charge(usage)),
        )
    }

    /// Charges the reported usage.
    fn charge(&self, usage: &Usage) -> AttemptCost {
        AttemptCost::Known(ModelTable::embedded().charge(self.model, usage))
    }
}
