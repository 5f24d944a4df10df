//! Asks a person for leave when a tool needs it. Not answered never means yes.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gemicro_core::execute::{Answers, StepReporter};
use gemicro_core::run::events::AnswerRequested;
use gemicro_event::StepKey;
use gemicro_runner::{PermissionAnswer, PermissionRequest};
use serde_json::Value;

use super::tools::what;

/// The most of a question that is shown.
const MAX_QUESTION_CHARS: usize = 4_000;

/// Asks for leave on behalf of one attempt.
pub(super) struct Leave {
    /// Begins the names of its questions.
    prefix: String,
    answers: Answers,
    n_asked: usize,
}

impl Leave {
    pub(super) fn new(step: &StepKey, attempt: u32, answers: Answers) -> Self {
        Self {
            prefix: format!("{step}/{attempt}"),
            answers,
            n_asked: 0,
        }
    }

    /// Journals the question and waits for the answer to it.
    pub(super) fn ask(
        &mut self,
        request: &PermissionRequest,
        reporter: &StepReporter,
    ) -> BoxFuture<'static, PermissionAnswer> {
        self.n_asked += 1;
        let key = format!("{}/{}", self.prefix, self.n_asked);
        let text = what(request.title.as_deref(), &request.input);
        reporter.fact(&AnswerRequested {
            key: key.clone(),
            tool: Some(request.tool.clone()),
            what: Some(text.chars().take(MAX_QUESTION_CHARS).collect()),
        });
        let mut answers = self.answers.clone();
        async move {
            match answers.wait_for(&key).await.as_deref() {
                Some(Value::Bool(true)) => PermissionAnswer::Allow,
                Some(_) => PermissionAnswer::Deny {
                    reason: "the user refused".to_owned(),
                },
                None => PermissionAnswer::Deny {
                    reason: "nobody answered".to_owned(),
                },
            }
        }
        .boxed()
    }
}
