//! How a run of a CLI ended, before and after it is judged.

use chrono::{DateTime, FixedOffset};
use gemicro_event::{ErrorKind, Usage};
use serde::Serialize;

use crate::item::UsageScope;
use crate::session::{Session, SessionId};
use crate::transcript::TurnTranscript;

/// How the process stands after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it that we did not send.
    Signal(i32),
    /// It is warm and goes on, or we ended it after its turn was over.
    Running,
    /// We ended it, for this reason: `idle_timeout`, `timeout`, `cancelled`, `budget_exceeded`.
    Stopped(ErrorKind),
}

/// Everything a judgement rests on.
#[derive(Debug, Clone, Copy)]
pub struct ProcessEnd<'a> {
    /// How the process stands.
    pub exit: ProcessExit,
    /// What its stream said.
    pub transcript: &'a TurnTranscript,
    /// The end of its standard error. Noise: it explains a failure, it never proves a success.
    pub stderr_tail: &'a str,
    /// The session that was asked for.
    pub session: &'a Session,
    /// What the gateway saw wrong with the model's last answer (`truncated_output`, `blocked`, `rate_limited`
    /// …). Some CLIs hide it behind a claim of success.
    pub upstream: Option<ErrorKind>,
    /// When it ended, in the time zone the CLI ran in: limits are told as times of day.
    pub ended_at: DateTime<FixedOffset>,
}

/// A turn that succeeded: it has content and a proper end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentEnd {
    /// The answer; never empty.
    pub text: String,
    /// To go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Tokens used, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether `usage` counts the turn or the session; set where `usage` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_scope: Option<UsageScope>,
    /// Model turns, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_turns: Option<u64>,
    /// What the CLI thinks it has cost, in millionths of a US dollar. A judge says what was told, which may count from
    /// the start of the process; supervision makes it this turn's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Tools it wanted to use.
    pub n_tool_calls: u64,
    /// Tools that were refused, as far as the CLI counts them.
    pub n_refused: u64,
}
