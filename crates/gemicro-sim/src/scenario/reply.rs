//! `reply`: the model's answer, and its timing.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::knowledge::Knowledge;
use super::template::{MarkedText, TextTemplate};

/// The model's answer. Parts are sent in the order of these fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedReply {
    /// Thought summary; only sent to requests that ask for summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thoughts: Option<TextTemplate>,
    /// A Google Search by the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchReply>,
    /// The answer, with `[[cited text|url|title]]` citations and `{{…}}` fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MarkedText>,
    /// The answer as JSON, with `{{…}}` fields in its strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The answer of a scripted model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<Persona>,
    /// The knowledge of `persona: perfect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knows: Option<Knowledge>,
    /// Tool calls of the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallReply>,
    /// Token counts; missing ones are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageReply>,
    /// Chunk sizes for streaming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Chunks>,
    /// Delays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Delay>,
    /// A gate at which the reply waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<ReplyGate>,
    /// How the answer ends, if not as usual: status, finish reason, stop reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The scripted models used in tests. See `docs/simulator.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persona {
    /// A short sentence about the prompt; a minimal instance when a schema is asked for.
    Helper,
    /// Answers from the sources in the prompt with exact quotes, or not at all.
    Perfect,
    /// Plays every role of a research run: quotes the best sentence of the sources, however little it fits.
    Researcher,
    /// Invents quotes, source numbers and addresses.
    Liar,
    /// Loses everything: empty strings in the requested format.
    Lossy,
    /// Says the same thing at great length.
    Bloater,
    /// Repeats the prompt.
    Echo,
}

/// A search by the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchReply {
    /// The search queries.
    pub queries: Vec<TextTemplate>,
    /// HTML of the search suggestions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<String>,
}

/// A tool call by the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallReply {
    /// Name of the tool to call.
    pub name: String,
    /// Its arguments, an object with `{{…}}` fields in its strings. A tool that takes free text (Codex's `apply_patch`)
    /// gets the argument `input`.
    #[serde(default)]
    pub arguments: BTreeMap<String, Value>,
}

/// Token counts that replace the computed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsageReply {
    /// Tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens of the answer without thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens of the model's thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought: Option<u64>,
    /// Cached tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Tokens of the prompt that were written to a cache; only reported by the Anthropic API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// Tokens of tool prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use: Option<u64>,
}

/// Chunk sizes in characters; the last one is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunks {
    /// One size per chunk.
    pub sizes: Vec<NonZeroUsize>,
}

/// Delays of a reply, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delay {
    /// Delay before the first byte.
    pub first_ms: u64,
    /// Delay before each further chunk.
    pub between_ms: u64,
}

/// A named gate at which the reply waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyGate {
    /// The name by which a test opens it.
    pub name: String,
    /// Number of chunks that pass before it. By default not even the first byte does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_chunks: Option<usize>,
}

/// `raw`: a recorded response, sent unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawReply {
    /// The HTTP status of the recorded response.
    pub status: u16,
    /// The recorded headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body, in its original chunks.
    #[serde(default)]
    pub chunks: Vec<RawChunk>,
    /// Whether the body broke off after them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// One chunk of a recorded body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawChunk {
    /// Milliseconds since the previous chunk.
    #[serde(default)]
    pub after_ms: u64,
    /// The bytes to send, as text.
    pub text: String,
}
