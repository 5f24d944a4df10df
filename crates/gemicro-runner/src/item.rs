//! What an agent's stream says, in words that all CLIs share.
//!
//! The main type is [`AgentItem`]. Items are made by the adapters in [`crate::cli`]; quirks of a CLI stop
//! there. An item's JSON form is for golden files and `--raw`; events are made from items elsewhere.

use std::borrow::Cow;
use std::fmt;

use gemicro_event::{Json, Usage};
use serde::{Serialize, Serializer};

use crate::permission::PermissionRequest;
use crate::session::SessionId;

/// One thing an agent said or did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "item", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentItem {
    /// A session began or was taken up. First of a turn; may come again with each turn of a warm process.
    Started {
        /// Its name, to resume it by.
        session: SessionId,
        /// The model it will ask, where told.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The CLI's version, where told.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The next piece of what the agent says.
    Text {
        /// To be appended as it is.
        text: String,
    },
    /// The next piece of what it thinks.
    Thought {
        /// To be appended as it is.
        text: String,
    },
    /// It wants to use a tool. Not a proof that the tool ran.
    ToolCall {
        /// Joins it with its result.
        id: String,
        /// The tool; for ACP the kind of tool (`execute`, `edit`), which is all it tells.
        name: String,
        /// One line for people, where told.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The arguments; an empty object where they are not told.
        input: Json,
    },
    /// A tool call ended, successfully or not.
    ToolResult {
        /// That of its call.
        id: String,
        /// Whether the tool did what it was asked.
        status: ToolStatus,
        /// What it printed or answered, where told.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// The exit code of its command, where told.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
        /// The CLI's word for what went wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The number of tokens used so far, or by one turn.
    Usage {
        /// Tokens by kind: input, output, cached.
        #[serde(flatten)]
        usage: Usage,
        /// Whether the tokens are those of the turn or of the session.
        scope: UsageScope,
    },
    /// It waits for leave to use a tool. Not answered means not executed.
    Permission(PermissionRequest),
    /// Something worth knowing that is no end: a warning, a retry.
    Notice {
        /// The text as the CLI wrote it.
        message: String,
    },
    /// A turn is over. At most one per prompt.
    Ended(TurnEnd),
    /// Something we do not understand, told once per kind and process.
    Alarm {
        /// What kind: `unknown:TYPE`, `malformed:TYPE`, `not_json`, `invalid_utf8`, `line_too_long`,
        /// `many_raw_lines`.
        kind: String,
        /// What was not understood, in one sentence.
        message: String,
    },
    /// A line that no adapter understands, as it came.
    Raw {
        /// Its bytes without the line feed.
        line: RawLine,
    },
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It did what it was asked. For Gemini also a command that exited with an error.
    Completed,
    /// It failed, was refused or is unknown.
    Failed,
}

/// What a number of tokens counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageScope {
    /// The tokens of this turn only.
    Turn,
    /// The session since it began, earlier processes included.
    Session,
}

/// The CLI's own account of how a turn ended, before anybody judges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnEnd {
    /// Whether it claims success.
    pub claim: EndClaim,
    /// Its word for how: `end_turn`, `error_max_turns`, `FatalTurnLimitedError`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its words about what went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The HTTP status of its model API, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// The answer as a whole, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Model turns, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_turns: Option<u64>,
    /// What the CLI thinks its process has cost so far, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Tools that were refused, as far as the CLI counts them.
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
    /// An end that is told no more about.
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

/// A line as it came, byte by byte.
#[derive(Clone, PartialEq, Eq)]
pub struct RawLine(Vec<u8>);

impl RawLine {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The raw line, without its line break.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// For reading: what is not UTF-8 is replaced.
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
