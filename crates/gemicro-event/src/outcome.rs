//! The status of a run, derived from its events.

use serde::{Deserialize, Serialize};

/// The four kinds of event that end a run; a run has exactly one of them.
pub const TERMINAL_EVENT_TYPES: [&str; 4] =
    ["final_result", "run_failed", "run_cancelled", "run_interrupted"];

/// Whether an event of this kind ends its run.
#[must_use]
pub fn is_terminal(event_type: &str) -> bool {
    TERMINAL_EVENT_TYPES.contains(&event_type)
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It has not ended; a driver works on it, or crashed without recording that.
    Running,
    /// It waits for a person, a time or a quota.
    Parked,
    /// It was stopped on purpose or by a crash and can be resumed.
    Suspended,
    /// It ended with a result.
    Completed,
    /// It ended with a typed failure.
    Failed,
    /// It ended because its cancellation was requested.
    Cancelled,
    /// It was given up; only another version of the program could continue it.
    Interrupted,
}

impl RunStatus {
    /// The status after an event of this kind; `None` if it does not change.
    #[must_use]
    pub fn after(event_type: &str) -> Option<Self> {
        match event_type {
            "run_started" | "run_resumed" | "run_woken" | "answer_given" => Some(Self::Running),
            "answer_requested" | "run_parked" => Some(Self::Parked),
            "run_suspended" => Some(Self::Suspended),
            "final_result" => Some(Self::Completed),
            "run_failed" => Some(Self::Failed),
            "run_cancelled" => Some(Self::Cancelled),
            "run_interrupted" => Some(Self::Interrupted),
            _ => None,
        }
    }

    /// Whether this status is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled | Self::Interrupted => true,
            Self::Running | Self::Parked | Self::Suspended => false,
        }
    }

    /// Its name in lists and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Parked => "parked",
            Self::Suspended => "suspended",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}
