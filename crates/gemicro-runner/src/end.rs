//! The end of a CLI run, before and after it is judged.

use chrono::{DateTime, FixedOffset};
use gemicro_event::{ErrorKind, Usage};
use serde::Serialize;

use crate::item::UsageScope;
use crate::session::{Session, SessionId};
use crate::transcript::TurnTranscript;

/// State of the process after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    /// It exited with this code.
    Code(i32),
    /// It was ended by a signal that we did not send.
    Signal(i32),
    /// It is still running for the next turn, or we ended it after its turn.
    Running,
    /// We ended it for this reason: `idle_timeout`, `timeout`, `cancelled`, `budget_exceeded`.
    Stopped(ErrorKind),
}

/// All inputs for judging a turn.
#[derive(Debug, Clone, Copy)]
pub struct ProcessEnd<'a> {
    /// State of the process.
    pub exit: ProcessExit,
    /// The items of its stream.
    pub transcript: &'a TurnTranscript,
    /// The end of its standard error. It may explain a failure, but never proves a success.
    pub stderr_tail: &'a str,
    /// The requested session.
    pub session: &'a Session,
    /// Error that the gateway saw in the model's last answer (`truncated_output`, `blocked`, `rate_limited` …). Some
    /// CLIs report success regardless.
    pub upstream: Option<ErrorKind>,
    /// Time of the end, in the CLI's time zone, because limits are given as times of day.
    pub ended_at: DateTime<FixedOffset>,
}

/// A turn that succeeded: it has content and a proper end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentEnd {
    /// The answer; never empty.
    pub text: String,
    /// The session, for the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Tokens used, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether `usage` covers the turn or the session; set if `usage` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_scope: Option<UsageScope>,
    /// Number of model turns, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_turns: Option<u64>,
    /// Cost reported by the CLI, in millionths of a US dollar. At first it may count from the start of the process;
    /// supervision reduces it to this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Number of tool calls.
    pub n_tool_calls: u64,
    /// Number of refused tool calls, if the CLI counts them.
    pub n_refused: u64,
}
