//! The formats in which agent CLIs ask.

use serde::{Deserialize, Serialize};

/// The exit code that every CLI treats as a denial, even when it cannot read the answer.
pub const EXIT_DENY: u8 = 2;

/// The format of a request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookFormat {
    /// Gemini CLI's `BeforeTool` hook.
    Gemini,
    /// Claude Code's `PreToolUse` hook.
    Claude,
    /// Codex' `PreToolUse` hook, which has Claude Code's form.
    Codex,
    /// gemicro's own format: `{"tool","command"|"args","cwd","worktree"}`.
    Neutral,
}

impl HookFormat {
    /// The format whose hooks are called for this event. Codex requests look like Claude Code's, and are treated the
    /// same.
    pub(super) fn of_event(event: &str) -> Option<Self> {
        [Self::Gemini, Self::Claude]
            .into_iter()
            .find(|format| format.event() == Some(event))
    }

    /// The event that a hook of this format must be called for.
    pub(super) fn event(self) -> Option<&'static str> {
        match self {
            Self::Gemini => Some("BeforeTool"),
            Self::Claude | Self::Codex => Some("PreToolUse"),
            Self::Neutral => None,
        }
    }
}
