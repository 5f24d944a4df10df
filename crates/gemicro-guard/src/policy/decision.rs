//! The policy's answer to a tool call.

use gemicro_event::text::shortened;
use serde::{Deserialize, Serialize};

use super::rule::PolicyRule;

/// Maximum number of characters of a segment in a message.
const SEGMENT_CHARS: usize = 300;

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyDecision {
    /// The call may run.
    Allow,
    /// The call must not run.
    Deny(Denial),
}

/// Why a call was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// The rule that was broken.
    pub rule: PolicyRule,
    /// The part of the call that broke it.
    pub segment: String,
    /// What to do instead.
    pub hint: String,
}

impl PolicyDecision {
    /// Whether the call may run.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow)
    }
}

impl Denial {
    /// A denial of one part of a call.
    pub fn new(rule: PolicyRule, segment: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            rule,
            segment: shortened(&Into::<String>::into(segment), SEGMENT_CHARS),
            hint: hint.into(),
        }
    }

    /// The denial of a tool that needs approval, where no one can approve it.
    pub fn not_approved() -> Self {
        let hint = "no one can approve tools (--no-yolo); continue without this one";
        Self::new(PolicyRule::NoYolo, "the tool needs approval", hint)
    }

    /// Finds a denial in text that contains its [`message`](Self::message).
    pub fn read(text: &str) -> Option<Self> {
        let (_, denial) = text.split_once("Permission Denied: ")?;
        let (rule, rest) = denial.split_once(" (")?;
        let (segment, hint) = rest.split_once("): ")?;
        Some(Self {
            rule: serde_json::from_value(rule.into()).ok()?,
            segment: segment.to_owned(),
            hint: hint.trim_end().to_owned(),
        })
    }

    /// The message that the agent reads.
    pub fn message(&self) -> String {
        format!(
            "Permission Denied: {} ({}): {}",
            self.rule, self.segment, self.hint
        )
    }
}
