//! What a model adapter implements.

use futures_util::stream::BoxStream;
use gemicro_event::{Json, Usage};
use serde::{Deserialize, Serialize};

use crate::flow::StepFailure;

/// One call to a model, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmRequest {
    /// What the call is for (`decompose`, `answer`, `synthesize`); for people and logs, never sent.
    pub label: String,
    /// The model.
    pub model: String,
    /// Instructions above the prompt.
    pub system: Option<String>,
    /// The prompt.
    pub prompt: String,
    /// JSON Schema that the answer must fit.
    pub schema: Option<Json>,
    /// The most it may write.
    pub max_output_tokens: u64,
    /// Sampling temperature; the model's own when absent.
    pub temperature: Option<f32>,
}

/// A piece of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum LlmChunk {
    /// The provider has the call; this is where it can be picked up.
    Handle(Json),
    /// Text to add.
    Text(String),
    /// The proper end. A stream without it was cut.
    End(LlmEnd),
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmEnd {
    /// Why it stopped.
    pub finish: FinishReason,
    /// Tokens, if the provider told.
    pub usage: Option<Usage>,
    /// The provider's name for the call.
    pub interaction_id: Option<String>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It reached the output limit.
    MaxTokens,
    /// The provider refused to go on.
    Blocked {
        /// Its words.
        reason: String,
    },
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmResponse {
    /// The text.
    pub text: String,
    /// Tokens; an estimate of ours, marked as such, where the provider told none.
    pub usage: Usage,
    /// The provider's name for the call.
    pub interaction_id: Option<String>,
}

/// Something that answers prompts.
pub trait LlmBackend: Send + Sync {
    /// The backend's name for people.
    fn name(&self) -> &str;

    /// Starts one call, or picks up an earlier one by the handle it gave. Dropping the stream cancels it.
    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>>;
}
