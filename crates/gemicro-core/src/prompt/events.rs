//! The events of a question to a model.

use gemicro_event::{Usage, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model answered. Once, with the completion of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAnswered {
    pub model: String,
    /// The answer of the model, whole.
    pub text: String,
    /// Tokens that the provider reported.
    pub usage: Usage,
    /// The provider's id of the call, to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<String>,
    /// It was to continue an earlier call that the provider no longer had, and got everything instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retold: bool,
}
event_payload!(ModelAnswered, "model_answered", |it| format!(
    "{} answered",
    it.model
));

event_readers! {
    /// Readers of the events of questions to models.
    pub trait PromptReaders {
        ModelAnswered => as_model_answered, try_as_model_answered;
    }

    /// Registers the events of questions to models.
    pub fn register;
}
