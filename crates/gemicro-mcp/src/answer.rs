//! The answer of a tool: one JSON object, as text and as structured content.

use std::time::Duration;

use gemicro_core::ask::ToolAnswer;
use gemicro_event::{ErrorKind, Failure, escape_text};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct McpAnswer {
    value: Value,
    is_success: bool,
}

impl McpAnswer {
    pub(crate) fn success(value: &impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self {
                value,
                is_success: true,
            },
            Err(error) => {
                let failure = Failure::new(ErrorKind::Internal, error.to_string());
                Self::failure("gemicro", &failure)
            }
        }
    }

    pub(crate) fn of_tool(answer: &ToolAnswer) -> Self {
        let value = serde_json::to_value(answer).unwrap_or_else(|error| {
            json!({ "success": false, "error": error.to_string(), "error_kind": ErrorKind::Internal })
        });
        Self {
            value,
            is_success: answer.is_success(),
        }
    }

    /// A failure of a tool without its own time limits.
    pub(crate) fn failure(tool: &str, failure: &Failure) -> Self {
        Self::of_tool(&ToolAnswer::failure(tool, failure, (0, 0), 0, Duration::ZERO))
    }

    pub(crate) fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        if let (Value::Object(fields), Ok(value)) = (&mut self.value, serde_json::to_value(value)) {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    /// As the result of a call, with invisible characters escaped.
    pub(crate) fn into_result(self) -> CallToolResult {
        let value = escaped(self.value);
        let text = value.to_string();
        let mut result = match self.is_success {
            true => CallToolResult::structured(value),
            false => CallToolResult::structured_error(value),
        };
        result.content = vec![ContentBlock::text(text)];
        result
    }
}

/// The value with every invisible character of its strings written as `\uXXXX`: a client shows them to its model, in
/// which a person could not see them.
fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => escape_text(&text).into(),
        Value::Array(values) => values.into_iter().map(escaped).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, value)| (escape_text(&name).into_owned(), escaped(value)))
                .collect()
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

impl From<McpAnswer> for CallToolResponse {
    fn from(answer: McpAnswer) -> Self {
        Self::Complete(answer.into_result())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_hides_nothing() {
        let value = json!({ "result": "a\u{202e}b\n", "paths": [{ "é\u{200b}": "\u{1b}[2J" }], "n": 1 });
        let shown = json!({ "result": "a\\u202eb\n", "paths": [{ "é\\u200b": "\\u001b[2J" }], "n": 1 });
        let result = McpAnswer::success(&value).into_result();
        let text = &result.content[0].as_text().expect("a text").text;
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), shown);
        assert_eq!(result.structured_content, Some(shown));
    }
}
