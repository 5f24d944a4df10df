//! Writes a decision in the format of whoever asked.

use serde_json::{Value, json};

use super::error::HookError;
use super::format::{EXIT_DENY, Format};
use crate::policy::{Decision, Denial, Rule};

/// What the hook's process must print, and how it must end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// For standard output; one line.
    pub stdout: String,
    /// For standard error; empty when there is nothing to say.
    pub stderr: String,
    /// The exit code.
    pub exit_code: u8,
    /// Whether it says no.
    pub is_denial: bool,
}

/// The answer to a request that was judged.
pub fn answer(format: Format, decision: &Decision) -> Answer {
    let body = match (format, decision) {
        // Saying nothing leaves the CLI's own rules in force; "allow" would overrule them.
        (Format::Gemini | Format::Claude | Format::Codex, Decision::Allow) => json!({}),
        (Format::Gemini, Decision::Deny(denial)) => json!({"decision": "deny", "reason": denial.message()}),
        (Format::Claude | Format::Codex, Decision::Deny(denial)) => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": denial.message(),
        }}),
        (Format::Neutral, Decision::Allow) => {
            json!({"decision": "allow", "rule": Value::Null, "segment": Value::Null, "hint": Value::Null})
        }
        (Format::Neutral, Decision::Deny(denial)) => json!({
            "decision": "deny", "rule": denial.rule, "segment": denial.segment, "hint": denial.hint,
        }),
    };
    // A fault of ours must not rest on the CLI reading the line above it.
    let fault = match decision {
        Decision::Deny(denial) if denial.rule == Rule::Internal => Some(denial.message()),
        Decision::Deny(_) | Decision::Allow => None,
    };
    Answer {
        stdout: body.to_string(),
        exit_code: fault.as_ref().map_or(0, |_| EXIT_DENY),
        stderr: fault.unwrap_or_default(),
        is_denial: !decision.is_allowed(),
    }
}

/// The answer to a request that could not be read: a denial, and the exit code that every CLI obeys.
pub fn refusal(format: Format, error: &HookError) -> Answer {
    let denial = Denial::new(error.rule(), "request", error.to_string());
    Answer {
        stderr: denial.message(),
        exit_code: EXIT_DENY,
        ..answer(format, &Decision::Deny(denial))
    }
}
