//! The answer of a tool: one JSON object, as text and as structured content.

use std::time::Duration;

use gemicro_core::ask::ToolAnswer;
use gemicro_event::{ErrorKind, Failure};
use rmcp::model::{CallToolResponse, CallToolResult};
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

    /// Adds a field.
    pub(crate) fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        if let (Value::Object(fields), Ok(value)) = (&mut self.value, serde_json::to_value(value)) {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    /// Turns it into the result of a call.
    pub(crate) fn into_result(self) -> CallToolResult {
        if self.is_success {
            CallToolResult::structured(self.value)
        } else {
            CallToolResult::structured_error(self.value)
        }
    }
}

impl From<McpAnswer> for CallToolResponse {
    fn from(answer: McpAnswer) -> Self {
        Self::Complete(answer.into_result())
    }
}
