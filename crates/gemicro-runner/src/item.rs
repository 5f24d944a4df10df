//! The items of an agent's stream, in a format common to all CLIs.
//!
//! The main type is [`AgentItem`]. The adapters in [`crate::cli`] produce items and hide the quirks of a CLI. The JSON
//! form of items is for golden files and `--raw`; events are derived from items elsewhere.

use std::borrow::Cow;
use std::fmt;

use gemicro_event::{Json, Usage};
use serde::{Serialize, Serializer};

use crate::permission::PermissionRequest;
use crate::session::SessionId;

/// One item of an agent's stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "item", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentItem {
    /// A session began or was resumed. First item of a turn; a long-running process may repeat it in each turn.
    Started {
        /// Name of the session, to resume it.
        session: SessionId,
        /// The model, if reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Version of the CLI, if reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The next chunk of the agent's text.
    Text {
        /// To be appended unchanged.
        text: String,
    },
    /// The next chunk of its thoughts.
    Thought {
        /// To be appended unchanged.
        text: String,
    },
    /// It wants to use a tool. This does not prove that the tool ran.
    ToolCall {
        /// Links the call to its result.
        id: String,
        /// The tool; over ACP only the kind of tool (`execute`, `edit`).
        name: String,
        /// One-line title for users, if reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The arguments; an empty object if they are not reported.
        input: Json,
    },
    /// A tool call ended, successfully or not.
    ToolResult {
        /// Id of the call.
        id: String,
        /// Whether the tool succeeded.
        status: ToolStatus,
        /// Its output, if reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// The exit code of its command, if reported.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
        /// The CLI's name for the error.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The number of tokens used so far, or by one turn.
    Usage {
        /// Tokens by kind: input, output, cached.
        #[serde(flatten)]
        usage: Usage,
        /// Whether the tokens are those of the turn or the session.
        scope: UsageScope,
    },
    /// It waits for permission to use a tool. Without an answer the tool does not run.
    Permission(PermissionRequest),
    /// Information that is not the end of a turn: a warning, a retry.
    Notice {
        /// The text as the CLI wrote it.
        message: String,
    },
    /// The turn is over. At most one per prompt.
    Ended(TurnEnd),
    /// Something unexpected in the stream, reported once per kind and process.
    Alarm {
        /// The kind: `unknown:TYPE`, `malformed:TYPE`, `not_json`, `invalid_utf8`, `line_too_long`, `many_raw_lines`.
        kind: String,
        /// Description in one sentence.
        message: String,
    },
    /// A line that no adapter understands, unchanged.
    Raw {
        /// Its bytes without the line feed.
        line: RawLine,
    },
}

/// The result of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It succeeded. For Gemini, this includes commands that exited with an error.
    Completed,
    /// It failed, was refused by the CLI itself or is unknown.
    Failed,
    /// gemicro answered its request for permission with no.
    Denied,
}

/// The scope of a token count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageScope {
    /// The tokens of this turn only.
    Turn,
    /// The session since it began, including earlier processes.
    Session,
}

/// How a turn ended according to the CLI, before it is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnEnd {
    /// Whether the CLI claims success.
    pub claim: EndClaim,
    /// The CLI's name for the reason: `end_turn`, `error_max_turns`, `FatalTurnLimitedError`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The CLI's error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// HTTP status of its model API, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// The complete answer, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of model turns, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_turns: Option<u64>,
    /// Cost of its process so far according to the CLI, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Number of refused tool calls, if the CLI counts them.
    pub n_refused: u64,
}

/// Whether a CLI claims that its turn succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndClaim {
    /// The CLI reports that the turn succeeded.
    Success,
    /// The CLI reports anything else.
    Failure,
}

impl TurnEnd {
    /// Creates an end without further details.
    pub(crate) fn new(claim: EndClaim) -> Self {
        Self {
            claim,
            reason: None,
            message: None,
            http_status: None,
            text: None,
            n_turns: None,
            cost_micro_usd: None,
            n_refused: 0,
        }
    }
}

/// A line of the stream, byte for byte.
#[derive(Clone, PartialEq, Eq)]
pub struct RawLine(Vec<u8>);

impl RawLine {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The line without its line break.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The line as text; invalid UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for RawLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}

impl Serialize for RawLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}
