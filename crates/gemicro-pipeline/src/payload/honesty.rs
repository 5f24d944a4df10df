//! Refuses a success or a PASS that its own feedback contradicts.
//!
//! Feedback is looked through as far as it goes: text by the words of `trouble` (the lists are in `trouble_words`), an
//! object by its keys as well. A key such as `crash` or `unresolved` refuses when its value says something: true, a number
//! other than zero, text that is neither blank nor a denial, a list or an object with something in it. So does a key such as
//! `status` whose value is that of a failure.
//! Whether a claim without such feedback is true is not known here: that is what evidence is for.

use serde_json::Value;

use super::decision::AgentDecision;
use super::product::{AgentPayload, Feedback};
use super::trouble;
use super::trouble_words::{BAD_OUTCOMES, DENIALS, HARMLESS_KEYS, OUTCOME_KEYS, TROUBLE_KEYS};

/// Says why a success or a PASS is refused; nothing when its feedback does not contradict it.
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

/// The trouble that a point of a feedback object tells of.
fn admitted_under(key: &str, value: &Value) -> Option<String> {
    if is_trouble_key(key) && says_something(value) {
        return Some(key.to_owned());
    }
    if let Some(outcome) = bad_outcome(key, value) {
        return Some(format!("{key}: {outcome}"));
    }
    admitted_in(value)
}

/// `"status": "failed"`, also as a part of the key: `test_status`.
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

/// Whether a part of the key, such as `unresolved` in `unresolved_conflicts`, names a trouble.
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
