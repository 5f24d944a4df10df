//! Writes a decision in the format of the CLI that asked.

use serde_json::{Value, json};

use super::error::HookError;
use super::format::{EXIT_DENY, HookFormat};
use crate::policy::{Denial, PolicyDecision, PolicyRule};

/// The output and exit code of the hook's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAnswer {
    /// For standard output; one line.
    pub stdout: String,
    /// For standard error; empty if there is nothing to say.
    pub stderr: String,
    /// Exit code that tells the CLI allow or deny.
    pub exit_code: u8,
    /// Whether the call is denied.
    pub is_denial: bool,
}

/// The answer to a request that was judged.
pub fn answer(format: HookFormat, decision: &PolicyDecision) -> HookAnswer {
    let body = match (format, decision) {
        // An empty answer leaves the CLI's own rules in force; "allow" would overrule them.
        (HookFormat::Gemini | HookFormat::Claude | HookFormat::Codex, PolicyDecision::Allow) => json!({}),
        (HookFormat::Gemini, PolicyDecision::Deny(denial)) => {
            json!({"decision": "deny", "reason": denial.message()})
        }
        (HookFormat::Claude | HookFormat::Codex, PolicyDecision::Deny(denial)) => {
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": denial.message(),
            }})
        }
        (HookFormat::Neutral, PolicyDecision::Allow) => {
            json!({"decision": "allow", "rule": Value::Null, "segment": Value::Null, "hint": Value::Null})
        }
        (HookFormat::Neutral, PolicyDecision::Deny(denial)) => json!({
            "decision": "deny", "rule": denial.rule, "segment": denial.segment, "hint": denial.hint,
        }),
    };
    // After a fault in the guard, do not rely on the CLI reading stdout: the exit code denies too.
    let fault = match decision {
        PolicyDecision::Deny(denial) if denial.rule == PolicyRule::Internal => Some(denial.message()),
        PolicyDecision::Deny(_) | PolicyDecision::Allow => None,
    };
    HookAnswer {
        stdout: body.to_string(),
        exit_code: fault.as_ref().map_or(0, |_| EXIT_DENY),
        stderr: fault.unwrap_or_default(),
        is_denial: !decision.is_allowed(),
    }
}

/// The answer to a request that could not be read: a denial, and the exit code that every CLI obeys.
pub fn refusal(format: HookFormat, error: &HookError) -> HookAnswer {
    let denial = Denial::new(error.rule(), "request", error.to_string());
    HookAnswer {
        stderr: denial.message(),
        exit_code: EXIT_DENY,
        ..answer(format, &PolicyDecision::Deny(denial))
    }
}
