//! Refuses a success or PASS that its own feedback contradicts.
//!
//! Feedback is searched recursively: text with the rules of `trouble` (the lists are in `trouble_words`), and objects
//! by their keys as well. A key such as `crash` or `unresolved` counts if its value is true, a non-zero number, text
//! that is neither blank nor a denial, or a non-empty list or object. A key such as `status` counts if its value is
//! that of a failure. Whether a claim without such feedback is true is left to the evidence.

use serde_json::Value;

use super::decision::AgentDecision;
use super::product::{AgentPayload, Feedback};
use super::trouble;
use super::trouble_words::{BAD_OUTCOMES, DENIALS, HARMLESS_KEYS, OUTCOME_KEYS, TROUBLE_KEYS};

/// Returns why a success or PASS is refused; `None` if its feedback does not contradict it.
#[must_use]
pub fn honesty(payload: &AgentPayload) -> Option<String> {
    let claim = match payload.decision() {
        AgentDecision::Pass => "PASS",
        AgentDecision::Done if payload.shape().commits() => "success",
        AgentDecision::Done
        | AgentDecision::Approve
        | AgentDecision::Reject
        | AgentDecision::Escalate
        | AgentDecision::Fail
        | AgentDecision::Failed { .. } => return None,
    };
    let admission = match payload.feedback()? {
        Feedback::Text(text) => trouble::trouble_excerpt(text),
        Feedback::Object(points) => points.iter().find_map(|(key, value)| admitted_under(key, value)),
    };
    admission.map(|words| format!("it claims {claim}, but its feedback says: {words}"))
}

/// Returns the problem reported by one entry of a feedback object.
fn admitted_under(key: &str, value: &Value) -> Option<String> {
    if is_trouble_key(key) && says_something(value) {
        return Some(key.to_owned());
    }
    if let Some(outcome) = bad_outcome(key, value) {
        return Some(format!("{key}: {outcome}"));
    }
    admitted_in(value)
}

/// Finds `"status": "failed"`, also with longer keys: `test_status`.
fn bad_outcome<'v>(key: &str, value: &'v Value) -> Option<&'v str> {
    let key = key.to_lowercase();
    let last = key.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let outcome = value.as_str()?.trim();
    (OUTCOME_KEYS.has(last) && BAD_OUTCOMES.has(&outcome.to_lowercase())).then_some(outcome)
}

fn admitted_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => trouble::trouble_excerpt(text),
        Value::Array(items) => items.iter().find_map(admitted_in),
        Value::Object(points) => points.iter().find_map(|(key, value)| admitted_under(key, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns true if a part of the key names a problem, such as `unresolved` in `unresolved_conflicts`.
fn is_trouble_key(key: &str) -> bool {
    let key = key.to_lowercase();
    let mut parts = key.split(|c: char| !c.is_alphanumeric());
    parts.clone().any(|part| TROUBLE_KEYS.has(part)) && !parts.any(|part| HARMLESS_KEYS.has(part))
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_so) => *is_so,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim().trim_end_matches('.').to_lowercase();
            !text.is_empty() && !DENIALS.has(&text) && !trouble::is_denied(&text)
        }
        Value::Array(items) => !items.is_empty(),
        Value::Object(points) => !points.is_empty(),
    }
}
