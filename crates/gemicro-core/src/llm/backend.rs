//! What a model adapter implements.

use std::ops::Range;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_event::{Json, Usage};
use serde::{Deserialize, Serialize};

use super::{FunctionCall, FunctionRound, LlmConfig, LlmFunction};
use crate::flow::StepFailure;

/// One call to a model, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmRequest {
    /// What the call is for (`decompose`, `answer`, `synthesize`); for people and logs, never sent.
    pub label: String,
    /// Which backend is asked.
    #[serde(default = "gemini")]
    pub backend: String,
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// Instructions above the prompt.
    pub system: Option<String>,
    /// What the model or agent is asked.
    pub prompt: String,
    /// The provider's name for the call whose conversation this one goes on with; the prompt is then what is new. One
    /// that the provider no longer has is a `session_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// JSON Schema that the answer must fit.
    pub schema: Option<Json>,
    /// What the model may use beside what it knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<LlmTool>,
    /// Functions that the model may call and gemicro runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<LlmFunction>,
    /// The calls that the model made so far in this question, with their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<FunctionRound>,
    /// How the answer comes.
    #[serde(default)]
    pub delivery: AnswerDelivery,
    /// The most it may write.
    pub max_output_tokens: u64,
    /// Sampling temperature; the model's own when absent.
    pub temperature: Option<f32>,
    /// How long it may take.
    #[serde(default)]
    pub time: CallTime,
}

impl LlmRequest {
    /// A plain question under these settings: no instructions, no schema, no tools.
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

/// The backend of requests that name none.
pub(super) fn gemini() -> String {
    GEMINI.to_owned()
}

/// The name of the Gemini API among backends.
pub const GEMINI: &str = "gemini";

/// What a model may use beside what it knows; run by the provider, never here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LlmTool {
    /// Searches the web; the answer names its pages as annotations.
    GoogleSearch,
    /// Reads the pages whose addresses stand in the prompt.
    UrlContext,
}

/// How an answer comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerDelivery {
    /// Piece by piece, as it is written.
    #[default]
    Streamed,
    /// In one piece at the end.
    Buffered,
    /// The provider works on its own; we ask from time to time. Agents need it.
    Background,
}

/// How long a call may take, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTime {
    /// Milliseconds from the request to the last byte.
    pub total_ms: u64,
    /// Without a sign of life.
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
    /// The provider has the call; this is where it can be picked up.
    Handle(Json),
    /// Text to add.
    Text(String),
    /// A sign of life without text: a thought, a search, a poll.
    Alive,
    /// Something this program does not know (a new status, a new kind of event): worth a look, no failure.
    Alarm(String),
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
    /// Pages the provider names for parts of the text.
    pub annotations: Vec<Annotation>,
    /// Functions that the model calls before it answers.
    pub calls: Vec<FunctionCall>,
}

/// A page that the provider names for a part of an answer; nobody has fetched it yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// The page.
    pub url: String,
    /// Its title, if told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Byte range in the answer's text; inside it and on character boundaries.
    pub range: Range<usize>,
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
    /// The whole answer of the model.
    pub text: String,
    /// Tokens; an estimate of ours, marked as such, where the provider told none.
    pub usage: Usage,
    /// The provider's name for the call.
    pub interaction_id: Option<String>,
    /// Pages the provider names for parts of the text.
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

    /// Starts one call, or picks up an earlier one by the handle it gave: from its beginning, for nothing of
    /// what was heard before is kept. A handle that leads nowhere any more is a `session_not_found` with
    /// unknown cost; a backend never starts a new call in its place. Dropping the stream gives it up.
    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>>;

    /// Tells the provider that the call behind a handle is no longer wanted, where it can be told.
    fn cancel(&self, handle: Json) -> BoxFuture<'static, ()> {
        drop(handle);
        Box::pin(async {})
    }
}
