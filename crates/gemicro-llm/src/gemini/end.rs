//! How a call ended: the one place that judges statuses and errors of an interaction.

use gemicro_core::flow::{Spent, StepFailure};
use gemicro_core::llm::FinishReason;
use gemicro_core::models::ModelTable;
use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure, Json, Usage};
use serde_json::json;

use super::interaction::{Problem, Status};

/// What is known when a call ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending<'a> {
    pub(super) host: &'a str,
    pub(super) model: &'a str,
    pub(super) id: Option<&'a str>,
    pub(super) usage: Option<&'a Usage>,
    pub(super) problems: &'a [Problem],
}

/// How it ended.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Properly.
    Finished(FinishReason),
    /// Not so.
    Failed(StepFailure),
    /// In a way that this program does not know; the text is for the alarm.
    Strange(String, StepFailure),
}

impl Ending<'_> {
    /// Judges a final status. A success needs a status that says so and no error beside it.
    pub(super) fn judge(&self, status: &Status) -> Verdict {
        if let Some(reason) = self.problems.iter().find_map(Problem::block) {
            let reason = excerpt(&reason);
            return Verdict::Finished(FinishReason::Blocked { reason });
        }
        let host = self.host;
        let problem = self.problems.first();
        let upstream = |message: String| self.failure(ErrorKind::UpstreamError, message, None);
        match status {
            Status::Completed => match problem {
                Some(problem) => Verdict::Failed(self.failed(problem)),
                None => Verdict::Finished(FinishReason::Stop),
            },
            Status::Incomplete => match self.problems.iter().find(|problem| !problem.is_length()) {
                Some(problem) => Verdict::Failed(self.failed(problem)),
                None => Verdict::Finished(FinishReason::MaxTokens),
            },
            Status::BudgetExceeded | Status::RequiresContinuation => {
                Verdict::Finished(FinishReason::MaxTokens)
            }
            Status::Failed => match problem {
                Some(problem) => Verdict::Failed(self.failed(problem)),
                None => Verdict::Failed(upstream(format!(
                    "the interaction at {host} failed without a reason"
                ))),
            },
            Status::Cancelled => {
                Verdict::Failed(upstream(format!("the interaction at {host} was cancelled there")))
            }
            Status::RequiresAction => Verdict::Failed(upstream(format!(
                "the interaction at {host} waits for an action that was never offered"
            ))),
            Status::Running => Verdict::Failed(upstream(format!(
                "{host} ended the answer while it still works on it"
            ))),
            Status::Unknown(status) => {
                let status = excerpt(status);
                let alarm = format!("{host} ended an interaction with the unknown status `{status}`");
                let failure = format!("the interaction at {host} ended with the unknown status `{status}`");
                Verdict::Strange(alarm, upstream(failure))
            }
        }
    }

    /// The failure behind an error of the service.
    pub(super) fn failed(&self, problem: &Problem) -> StepFailure {
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
            self.usage.map_or(Spent::Unknown, |usage| self.charge(usage)),
        )
    }

    /// What was told to be used is what was spent.
    fn charge(&self, usage: &Usage) -> Spent {
        Spent::Known(ModelTable::embedded().charge(self.model, usage))
    }
}
