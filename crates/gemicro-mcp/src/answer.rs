//! The answer of a tool: one JSON object, as text and as structured content.

use std::time::Duration;

use gemicro_core::ask::ToolAnswer;
use gemicro_event::{ErrorKind, Failure, escape_json};
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

    /// As the result of a call. Its text is the JSON with invisible characters escaped.
    pub(crate) fn into_result(self) -> CallToolResult {
        let json = self.value.to_string();
        let text = String::from_utf8_lossy(&escape_json(json.as_bytes())).into_owned();
        let mut result = if self.is_success {
            CallToolResult::structured(self.value)
        } else {
            CallToolResult::structured_error(self.value)
        };
        result.content = vec![ContentBlock::text(text)];
        result
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
    fn the_text_of_an_answer_hides_nothing() {
        let value = json!({ "result": "a\u{202e}b\u{200b}c", "path": "é" });
        let result = McpAnswer::success(&value).into_result();
        let text = &result.content[0].as_text().expect("a text").text;
        assert_eq!(text, r#"{"result":"a\u202eb\u200bc","path":"é"}"#);
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), value);
        assert_eq!(result.structured_content, Some(value));
    }
}
