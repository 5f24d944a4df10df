//! `reply`: what the model says, and how fast.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::knowledge::Knowledge;
use super::template::{MarkedText, TextTemplate};

/// What the model says. Parts are sent in the order of the fields here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedReply {
    /// Thought summary; shown only to requests that ask for summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thoughts: Option<TextTemplate>,
    /// A Google Search done by the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchReply>,
    /// The answer, with `[[cited text|url|title]]` marks and `{{…}}` fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MarkedText>,
    /// The answer as JSON; `{{…}}` fields inside its texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The answer of one of the scripted models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<Persona>,
    /// What `persona: perfect` knows beforehand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knows: Option<Knowledge>,
    /// Tools that the model wants called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallReply>,
    /// Token counts; what is absent is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageReply>,
    /// Size of the pieces when streaming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Chunks>,
    /// How long it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Delay>,
    /// A gate that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<ReplyGate>,
    /// How the answer ends, where it is not the usual way: status, finish reason, stop reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The scripted models of the tests. See `docs/simulator.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persona {
    /// A short sentence about the prompt; a minimal instance when a schema is asked for.
    Helper,
    /// Answers from the sources in the prompt, quoted letter by letter, or not at all.
    Perfect,
    /// Plays every part of a research run: quotes the best sentence of the sources, however little it fits.
    Researcher,
    /// Invents quotes, source numbers and addresses.
    Liar,
    /// Loses everything: empty texts in the asked-for shape.
    Lossy,
    /// Says the same thing at great length.
    Bloater,
    /// Gives the prompt back.
    Echo,
}

/// A search by the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchReply {
    /// The queries that the search was made with.
    pub queries: Vec<TextTemplate>,
    /// The HTML of the suggestions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<String>,
}

/// A tool call that the model makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallReply {
    /// Name of the tool to call.
    pub name: String,
    /// Its arguments, an object; `{{…}}` fields inside its texts. A tool that takes free text (Codex's
    /// `apply_patch`) gets the argument `input`.
    #[serde(default)]
    pub arguments: BTreeMap<String, Value>,
}

/// Token counts given instead of computed.
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
    /// The part of the prompt that came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// The part of the prompt that went into a cache: told by the Anthropic API alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// Tokens of tool prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use: Option<u64>,
}

/// Sizes of pieces in characters; the last one goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunks {
    /// One size per piece.
    pub sizes: Vec<NonZeroUsize>,
}

/// Delays of a reply, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delay {
    /// Before the first byte.
    pub first_ms: u64,
    /// Before each further piece.
    pub between_ms: u64,
}

/// A named place where the reply waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyGate {
    /// What a test opens.
    pub name: String,
    /// Pieces that pass before it. Without it not even the first byte does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_chunks: Option<usize>,
}

/// `raw`: a recorded response, sent as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawReply {
    /// The HTTP status of the recorded response.
    pub status: u16,
    /// The headers worth keeping.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body as it arrived.
    #[serde(default)]
    pub chunks: Vec<RawChunk>,
    /// Whether the body broke off after them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// One piece of a recorded body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawChunk {
    /// Milliseconds since the piece before.
    #[serde(default)]
    pub after_ms: u64,
    /// The bytes to send, as text.
    pub text: String,
}
