//! Summarises errors in one line.

use std::error::Error;

use gemicro_event::text::excerpt;
use serde_json::Value;

/// Returns the error message in a body, whatever its shape: GitHub's `message` and `errors`, GitLab's `message` as
/// text, list or map, or `error` and `error_description`.
pub(crate) fn words(body: &[u8]) -> String {
    let Ok(Value::Object(body)) = serde_json::from_slice::<Value>(body) else {
        return excerpt(&String::from_utf8_lossy(body));
    };
    let mut parts = Vec::new();
    for name in ["message", "error", "error_description", "errors"] {
        if let Some(value) = body.get(name) {
            gather(value, &mut parts);
        }
    }
    excerpt(&parts.join("; "))
}

fn gather(value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::String(text) => parts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| gather(value, parts)),
        Value::Object(map) => match (map.get("message"), map.get("field"), map.get("code")) {
            (Some(message), _, _) => gather(message, parts),
            (None, Some(Value::String(field)), Some(Value::String(code))) => {
                parts.push(format!("{field}: {code}"));
            }
            (None, _, _) => map.values().for_each(|value| gather(value, parts)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the innermost cause. The outer ones contain the address, which must not be shown.
pub(crate) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    excerpt(&innermost.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_error_is_read() {
        let cases = [
            (
                r#"{"message":"Not Found","documentation_url":"https://x"}"#,
                "Not Found",
            ),
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for a:b."}]}"#,
                "Validation Failed; A pull request already exists for a:b.",
            ),
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"head","code":"invalid"}]}"#,
                "Validation Failed; head: invalid",
            ),
            (r#"{"message":["Another open one: !1"]}"#, "Another open one: !1"),
            (r#"{"message":{"title":["can't be blank"]}}"#, "can't be blank"),
            (
                r#"{"error":"insufficient_scope","error_description":"It needs more."}"#,
                "insufficient_scope; It needs more.",
            ),
            (
                "<html>\u{1b}[31m\nBad gateway</html>",
                "<html> [31m Bad gateway</html>",
            ),
            ("", "(nothing)"),
            ("{}", "(nothing)"),
        ];
        for (body, expected) in cases {
            assert_eq!(words(body.as_bytes()), expected);
        }
        assert!(words("ü".repeat(1000).as_bytes()).len() <= 303);
    }
}
