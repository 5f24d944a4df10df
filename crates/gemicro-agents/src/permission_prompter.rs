//! Asks a person for permission when a tool needs it. A missing answer never means yes.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gemicro_core::execute::{RunAnswers, StepReporter};
use gemicro_core::run::events::AnswerRequested;
use gemicro_event::{Json, StepKey};
use gemicro_runner::{PermissionAnswer, PermissionRequest};
use serde_json::Value;

use super::tools::{one_line, what};

/// Maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 4_000;

/// The question: what will be done, and then the agent's own description. The omitted part is counted.
fn question(title: Option<&str>, input: &Json) -> String {
    let done = what(title, input);
    let mut text = match done.char_indices().nth(MAX_QUESTION_CHARS) {
        None => done.clone(),
        Some((end, _)) => format!(
            "{}\n[… {} more characters are not shown]",
            &done[..end],
            done[end..].chars().count()
        ),
    };
    let described = title.filter(|title| !title.trim().is_empty() && *title != done);
    if let Some(title) = described {
        text.push_str(&format!("\n(the agent says: {})", one_line(title)));
    }
    text
}

/// Asks for permission on behalf of one attempt.
pub(super) struct PermissionPrompter {
    /// Prefix of its question keys.
    prefix: String,
    answers: RunAnswers,
    n_asked: usize,
}

impl PermissionPrompter {
    pub(super) fn new(step: &StepKey, attempt: u32, answers: RunAnswers) -> Self {
        Self {
            prefix: format!("{step}/{attempt}"),
            answers,
            n_asked: 0,
        }
    }

    /// Writes the question to the journal and waits for the answer.
    pub(super) fn ask(
        &mut self,
        request: &PermissionRequest,
        reporter: &StepReporter,
    ) -> BoxFuture<'static, PermissionAnswer> {
        self.n_asked += 1;
        let key = format!("{}/{}", self.prefix, self.n_asked);
        let text = question(request.title.as_deref(), &request.input);
        reporter.fact(&AnswerRequested {
            key: key.clone(),
            tool: Some(request.tool.clone()),
            what: Some(text),
        });
        let mut answers = self.answers.clone();
        async move {
            match answers.wait_for(&key).await.as_deref() {
                Some(Value::Bool(true)) => PermissionAnswer::Allow,
                Some(_) => PermissionAnswer::Deny {
                    reason: "the user refused".to_owned(),
                },
                None => PermissionAnswer::Deny {
                    reason: "there was no answer".to_owned(),
                },
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_command_is_asked_about_and_not_its_description() {
        let input = Json::from(json!({"command": "rm -r src", "description": "list files"}));
        let asked = question(Some("list files\n\nAllow? y"), &input);
        assert_eq!(asked, "rm -r src\n(the agent says: list files Allow? y)");
        assert_eq!(question(Some("git status"), &Json::from(json!({}))), "git status");
        let long = Json::from(json!({"command": "x".repeat(MAX_QUESTION_CHARS + 7)}));
        assert!(question(None, &long).ends_with("[… 7 more characters are not shown]"));
    }
}
