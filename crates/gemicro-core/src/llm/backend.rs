//! [`LlmBackend`], the trait of model adapters, with its requests and answers.

use std::ops::Range;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_event::{Charge, Json, Usage};
use serde::{Deserialize, Serialize};

use super::config::model_title;
use super::{FunctionCall, FunctionRound, LlmConfig, LlmFunction};
use crate::flow::StepFailure;
use crate::models::ModelTable;

/// One call to a model, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmRequest {
    /// Purpose of the call (`decompose`, `answer`, `synthesize`); for people and logs, never sent.
    pub label: String,
    /// Name of the backend to use.
    #[serde(default = "gemini")]
    pub backend: String,
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// Instructions above the prompt.
    pub system: Option<String>,
    /// The prompt itself.
    pub prompt: String,
    /// The provider's id of the call whose conversation this one continues; the prompt then contains only the new
    /// message. If the provider no longer has it, the call fails with `session_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// JSON Schema that the answer must fit.
    pub schema: Option<Json>,
    /// Tools that the provider runs for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<LlmTool>,
    /// Functions that the model may call and gemicro runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<LlmFunction>,
    /// The function calls of the model so far for this prompt, with their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<FunctionRound>,
    /// How the answer is delivered.
    #[serde(default)]
    pub delivery: AnswerDelivery,
    /// Maximum number of output tokens.
    pub max_output_tokens: u64,
    /// Sampling temperature; the model's own when absent.
    pub temperature: Option<f32>,
    /// Time limits of the call.
    #[serde(default)]
    pub time: CallTime,
}

impl LlmRequest {
    /// What a call with this usage is charged.
    #[must_use]
    pub fn charge(&self, usage: &Usage) -> Charge {
        ModelTable::embedded().charge(&model_title(&self.backend, &self.model), usage)
    }

    /// A plain prompt with these settings: no instructions, no schema, no tools.
    #[must_use]
    pub fn new(label: &str, prompt: String, config: &LlmConfig) -> Self {
        Self {
            label: label.to_owned(),
            backend: config.backend.clone(),
            model: config.model.clone(),
            system: None,
            prompt,
            previous: None,
            schema: None,
            tools: Vec::new(),
            functions: Vec::new(),
            rounds: Vec::new(),
            delivery: AnswerDelivery::Streamed,
            max_output_tokens: config.max_output_tokens,
            temperature: config.temperature,
            time: config.time(),
        }
    }
}

/// The default backend of requests.
pub(super) fn gemini() -> String {
    GEMINI.to_owned()
}

/// The name of the Gemini API among backends.
pub const GEMINI: &str = "gemini";

/// A tool of a model; run by the provider, never by gemicro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LlmTool {
    /// Searches the web; the answer cites pages as annotations.
    GoogleSearch,
    /// Reads the pages whose addresses are in the prompt.
    UrlContext,
}

/// How an answer is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerDelivery {
    /// Streamed as it is written.
    #[default]
    Streamed,
    /// Complete, at the end.
    Buffered,
    /// The provider works in the background, and gemicro polls. Required by agents.
    Background,
}

/// Time limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    /// Maximum time from the request to the last byte, in milliseconds.
    pub total_ms: u64,
    /// Maximum time without any data, in milliseconds.
    pub idle_ms: u64,
}

impl Default for CallTime {
    fn default() -> Self {
        Self {
            total_ms: 60_000,
            idle_ms: 30_000,
        }
    }
}

/// A piece of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum LlmChunk {
    /// The provider accepted the call; it can be picked up by this handle.
    Handle(Json),
    /// The next part of the text.
    Text(String),
    /// Activity without text: a thought, a search, a poll.
    Alive,
    /// Something this program does not know (a new status, a new kind of event): worth reporting, but not a failure.
    Alarm(String),
    /// The proper end. A stream without it was interrupted.
    End(LlmEnd),
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmEnd {
    /// Why the model stopped writing.
    pub finish: FinishReason,
    /// Tokens, if the provider reported them.
    pub usage: Option<Usage>,
    /// The provider's id of the call.
    pub interaction_id: Option<String>,
    /// Pages that the provider cites for parts of the text.
    pub annotations: Vec<Annotation>,
    /// Functions that the model calls before it answers.
    pub calls: Vec<FunctionCall>,
}

/// A page that the provider cites for a part of an answer; it has not been fetched yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The address of the page.
    pub url: String,
    /// Its title, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Byte range in the answer's text; inside it and on character boundaries.
    pub range: Range<usize>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// It reached the output limit.
    MaxTokens,
    /// The provider blocked the answer.
    Blocked {
        /// The provider's reason.
        reason: String,
    },
}

/// An answer that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmResponse {
    /// The whole answer of the model.
    pub text: String,
    /// Tokens; estimated, and marked so, if the provider did not report them.
    pub usage: Usage,
    /// The provider's id of the call.
    pub interaction_id: Option<String>,
    /// Pages that the provider cites for parts of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
    /// Functions that the model calls before it answers; the text is then not its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<FunctionCall>,
}

/// Something that answers prompts.
pub trait LlmBackend: Send + Sync {
    /// The backend's name for people.
    fn name(&self) -> &str;

    /// Starts a call, or picks up an earlier one by its handle, from its beginning, because no earlier output is kept.
    /// A handle that is no longer valid fails with `session_not_found` and unknown cost; a backend never starts a new
    /// call instead. Dropping the stream abandons the call.
    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>>;

    /// The number of tokens of instructions and prompt, if the provider counts them without cost.
    fn count_input(&self, _request: &LlmRequest) -> BoxFuture<'static, Option<u64>> {
        Box::pin(std::future::ready(None))
    }

    /// Asks the provider to cancel the call behind a handle, if it supports that.
    fn cancel(&self, handle: Json) -> BoxFuture<'static, ()> {
        drop(handle);
        Box::pin(async {})
    }
}
