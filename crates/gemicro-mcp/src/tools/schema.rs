//! JSON Schemas of the tools. They are part of the contract, so they are written out.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// An object with these properties and no others.
pub(super) fn object(properties: Value, required: &[&str]) -> Arc<JsonObject> {
    closed(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

/// The `run_id` parameter of tools about runs.
pub(super) fn run_id() -> Value {
    json!({ "type": "string", "description": "The run's id, as still_running named it" })
}

/// The answers of agent tools: success and failure.
pub(super) fn agent_answer() -> Arc<JsonObject> {
    let detail = json!({
        "type": "object",
        "properties": {
            "message": { "type": "string" },
            "exit_code": { "type": ["integer", "null"] },
            "last_lines": { "type": "array", "items": { "type": "string" }, "maxItems": 20 },
            "idle_timeout_s": { "type": "integer" },
            "max_duration_s": { "type": "integer" },
            "retries": { "type": "integer" },
            "run_id": { "type": "string", "description": "Only with still_running" },
        },
        "required": ["message", "exit_code", "last_lines", "idle_timeout_s", "max_duration_s", "retries"],
        "additionalProperties": false,
    });
    object(
        json!({
            "success": { "type": "boolean" },
            "tool": { "type": "string" },
            "SESSION_ID": { "type": ["string", "null"] },
            "result": { "type": "string" },
            "error": { "type": "string" },
            "error_kind": { "type": "string" },
            "error_detail": detail,
            "duration": { "type": "string" },
            "all_messages": { "type": "array" },
            "metrics": { "type": "object" },
            "note": { "type": "string", "description": "Only where SESSION_ID was unknown: a new session was started" },
        }),
        &["success", "tool", "duration"],
    )
}

/// The answers of batch tools: success and failure.
pub(super) fn batch_answer() -> Arc<JsonObject> {
    let status = json!({ "type": "string", "enum": ["pending", "completed", "failed"] });
    let result = json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string" },
            "status": status,
            "output": { "type": "object" },
            "error": { "type": ["string", "null"] },
            "state": {
                "type": "string",
                "enum": [
                    "queued", "running", "parked", "input_required", "completed", "failed", "cancelled", "expired",
                    "rejected", "skipped", "interrupted",
                ],
            },
            "error_kind": { "type": "string" },
            "question": {
                "type": "object",
                "description": "What a person has to answer, where the state is input_required",
                "properties": {
                    "run_id": { "type": "string" },
                    "key": { "type": "string" },
                    "text": { "type": "string" },
                },
                "required": ["run_id", "key", "text"],
            },
        },
        "required": ["task_id", "status", "output", "error", "state"],
        "additionalProperties": false,
    });
    object(
        json!({
            "success": { "type": "boolean" },
            "tool": { "type": "string" },
            "response_id": { "type": "string" },
            "status": status,
            "results": { "type": "array", "items": result, "description": "In the order of the tasks" },
            "next_poll_interval_seconds": { "type": "integer", "minimum": 0 },
            "counts": { "type": "object", "additionalProperties": { "type": "integer" } },
            "paused": { "type": "boolean", "description": "Stopped until it is resumed" },
            "trouble": { "type": "string", "description": "What blocks it now; it is retried automatically" },
            "error": { "type": "string" },
            "error_kind": { "type": "string" },
            "error_detail": { "type": "object" },
            "duration": { "type": "string" },
        }),
        &["success", "tool"],
    )
}

fn closed(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}
