//! The events of a prompt to a model.

use gemicro_event::text::plain;
use gemicro_event::{Usage, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recall::RecallAnswer;
use crate::llm::FunctionCall;

/// A model answered. Once, with the completion of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAnswered {
    pub model: String,
    /// The answer of the model, whole.
    pub text: String,
    /// Tokens of all its rounds.
    pub usage: Usage,
    /// The provider's id of the call, to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<String>,
    /// The provider no longer had the earlier call to continue, so the whole conversation was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retold: bool,
}
event_payload!(ModelAnswered, "model_answered", |it| format!(
    "{} answered",
    it.model
));

/// A model called functions instead of answering. With the completion of its step, before `conversation_recalled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionsCalled {
    pub model: String,
    /// Text that it wrote besides the calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The calls, in the model's order.
    pub calls: Vec<FunctionCall>,
    /// Tokens of this round.
    pub usage: Usage,
    /// The provider's id of the round, to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<String>,
}
event_payload!(FunctionsCalled, "functions_called", |it| {
    let names: Vec<&str> = it.calls.iter().map(|call| call.name.as_str()).collect();
    format!("{} called {}", it.model, names.join(", "))
});

/// The calls of a model were answered from its conversation. Once per `functions_called`, with the completion of the
/// step that looked them up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationRecalled {
    /// An answer for each call.
    pub answers: Vec<RecallAnswer>,
}
event_payload!(ConversationRecalled, "conversation_recalled", |it| {
    let lines: Vec<String> = it.answers.iter().map(recalled_line).collect();
    format!("recalled: {}", lines.join("; "))
});

/// Maximum length of an error as shown to people, in characters.
const MAX_ERROR_SHOWN: usize = 120;

fn recalled_line(answer: &RecallAnswer) -> String {
    let turns: Vec<String> = answer.turns.iter().map(u64::to_string).collect();
    match turns.as_slice() {
        _ if answer.result.is_error => plain(&answer.result.text, MAX_ERROR_SHOWN),
        [] => format!("{} → nothing", answer.query),
        [turn] => format!("{} → turn {turn}", answer.query),
        turns => format!("{} → turns {}", answer.query, turns.join(", ")),
    }
}

event_readers! {
    /// Readers of the events of prompts to models.
    pub trait PromptReaders {
        ModelAnswered => as_model_answered, try_as_model_answered;
        FunctionsCalled => as_functions_called, try_as_functions_called;
        ConversationRecalled => as_conversation_recalled, try_as_conversation_recalled;
    }

    /// Registers the events of prompts to models.
    pub fn register;
}
