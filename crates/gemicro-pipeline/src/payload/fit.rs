//! Checks that a value has the shape of a role.
//!
//! Verdict and status are compared exactly, without trimming or changing case. Whether the claims are true is checked
//! elsewhere (see `honesty`, and the evidence of the pipeline).

use serde_json::{Map, Value};

use super::shape::PayloadShape;

/// Keys that any role may use.
const KEYS_OF_ALL: [&str; 3] = ["feedback", "backlog_items", "lessons"];

/// Why a value is not a payload of its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    NotAnObject,
    Echo,
    KeyInOtherCase,
    Feedback,
    Backlog,
    Lessons,
    Fields,
}

/// Returns true if a value is a payload of this shape.
pub(super) fn fits(shape: PayloadShape, value: &Value) -> bool {
    misfit(shape, value).is_none()
}

/// Returns the first reason why a value is not a payload of this shape.
pub(super) fn misfit(shape: PayloadShape, value: &Value) -> Option<Misfit> {
    let Value::Object(members) = value else {
        return Some(Misfit::NotAnObject);
    };
    if is_echo(shape, value) {
        Some(Misfit::Echo)
    } else if has_key_in_other_case(shape, members) {
        Some(Misfit::KeyInOtherCase)
    } else if !has_fitting_feedback(members) {
        Some(Misfit::Feedback)
    } else if !is_list_of_texts(members, "backlog_items") {
        Some(Misfit::Backlog)
    } else if !is_list_of_texts(members, "lessons") {
        Some(Misfit::Lessons)
    } else if !shape.keys().iter().all(|key| has(shape, value, key)) && !is_honest_failure(shape, members) {
        Some(Misfit::Fields)
    } else {
        None
    }
}

impl Misfit {
    /// Explains the problem to the agent.
    pub(super) fn for_agent(self, shape: PayloadShape, value: &Value) -> String {
        match self {
            Self::NotAnObject => "it is not an object".to_owned(),
            Self::Echo => "a value in it is still a placeholder".to_owned(),
            Self::KeyInOtherCase => {
                "a key in it differs from a known key only in upper and lower case".to_owned()
            }
            Self::Feedback => {
                "`feedback` must be a string or an object, not a list, and must not be empty with REJECT; write several \
                 points as one string, such as \"feedback\": \"1. first point\\n2. second point\""
                    .to_owned()
            }
            Self::Backlog => "`backlog_items` must be a list of strings".to_owned(),
            Self::Lessons => "`lessons` must be a list of strings".to_owned(),
            Self::Fields => {
                let lacking = shape.keys().iter().filter(|key| !has(shape, value, key));
                let fields: Vec<String> = lacking.map(|key| required_field(shape, key)).collect();
                let failure = if shape.commits() {
                    ", or `status` \"failed\" with a `reason` and without a commit"
                } else {
                    ""
                };
                format!("it needs {}{failure}", fields.join(" and "))
            }
        }
    }
}

/// Describes a required field and its allowed values.
fn required_field(shape: PayloadShape, key: &str) -> String {
    match key {
        "verdict" => format!("`verdict`, one of {}", shape.verdicts().join(", ")),
        "status" => "`status` \"success\"".to_owned(),
        "commit_hash" => "`commit_hash`, 7 to 64 hexadecimal digits".to_owned(),
        _ => format!("`{key}`, a path"),
    }
}

/// Returns true if a value repeats the prompt's example: a field of the role, or the feedback, is a placeholder.
pub(super) fn is_echo(shape: PayloadShape, value: &Value) -> bool {
    let Value::Object(members) = value else {
        return false;
    };
    let is_placeholder_at = |key: &str| text(members, key).is_some_and(is_placeholder);
    role_keys(shape, members).any(is_placeholder_at) || is_placeholder_at("feedback")
}

/// Returns true for a placeholder that was not filled in: dots, or text in angle brackets.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    if text == "..." || text == "…" {
        return true;
    }
    let inner = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner.is_some_and(|inner| {
        !inner.is_empty() && !inner.contains(['<', '>', '\n']) && inner.chars().count() <= 80
    })
}

/// Returns the keys that matter for the role. A reason matters unless the work succeeded.
fn role_keys<'a>(shape: PayloadShape, members: &Map<String, Value>) -> impl Iterator<Item = &'a str> {
    let has_reason = shape.commits() && text(members, "status") != Some("success");
    shape.keys().iter().copied().chain(has_reason.then_some("reason"))
}

/// Returns true for a key such as `Verdict`: next to `verdict`, a payload could say two things.
fn has_key_in_other_case(shape: PayloadShape, members: &Map<String, Value>) -> bool {
    role_keys(shape, members).chain(KEYS_OF_ALL).any(|known| {
        members
            .keys()
            .any(|key| key != known && key.eq_ignore_ascii_case(known))
    })
}

/// Returns true if a required field exists with an allowed value.
fn has(shape: PayloadShape, value: &Value, key: &str) -> bool {
    let found = value.get(key).and_then(Value::as_str);
    found.is_some_and(|found| match key {
        "verdict" => shape.verdicts().contains(&found),
        "status" => found == "success",
        "commit_hash" => is_hash(found),
        _ => is_not_blank(found),
    })
}

fn is_honest_failure(shape: PayloadShape, members: &Map<String, Value>) -> bool {
    shape.commits()
        && text(members, "status") == Some("failed")
        && text(members, "reason").is_some_and(is_not_blank)
        && !members.contains_key("commit_hash")
}

fn has_fitting_feedback(members: &Map<String, Value>) -> bool {
    let must_say_why = text(members, "verdict") == Some("REJECT");
    match members.get("feedback") {
        None | Some(Value::Null) => !must_say_why,
        Some(Value::String(text)) => !must_say_why || is_not_blank(text),
        Some(Value::Object(object)) => !must_say_why || !object.is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_)) => false,
    }
}

/// Returns true if an optional list is absent or contains only strings.
fn is_list_of_texts(members: &Map<String, Value>, key: &str) -> bool {
    match members.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.iter().all(Value::is_string),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => false,
    }
}

fn text<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    members.get(key).and_then(Value::as_str)
}

fn is_not_blank(text: &str) -> bool {
    !text.trim().is_empty()
}

fn is_hash(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
