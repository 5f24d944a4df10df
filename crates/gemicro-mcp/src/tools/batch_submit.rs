//! `batch_submit`: submits many tasks and answers immediately.

use gemicro_engine::{Batches, OnFailure, TASK_TYPES, read_batch};
use gemicro_event::{ErrorKind, Failure};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ToolName;
use super::agent::folder;
use super::batch_answer::BatchSuccess;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::{Arguments, wrong};
use crate::setup::BatchParameters;
use crate::waiting::finish_detached;

const PARAMETERS: [&str; 5] = ["tasks", "cd", "key", "on_failure", "deadline_seconds"];
const MAX_DEADLINE_SECONDS: u32 = 30 * 24 * 3_600;

const POLICIES: [(&str, OnFailure); 2] = [("continue", OnFailure::Continue), ("stop", OnFailure::Stop)];

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let types: Vec<&str> = TASK_TYPES.iter().map(|it| it.name).collect();
    let task = json!({
        "type": "object",
        "properties": {
            "task_id": { "type": "string", "description": "Its name in the batch: letters, digits, _ - . : /" },
            "type": { "type": "string", "description": format!("One of {}", types.join(", ")) },
            "parameters": {
                "type": "object",
                "description": "As the type asks for them, such as {\"prompt\": …}, {\"question\": …, \"sources\": […]} or \
                                {\"command\": …}; ${TASK.output.text} stands for a value of another task's output",
            },
            "depends_on": { "type": "array", "items": { "type": "string" }, "description": "Tasks that have to complete first" },
            "priority": { "type": "integer", "description": "Higher ones start first" },
            "deadline_seconds": { "type": "integer", "minimum": 1, "maximum": MAX_DEADLINE_SECONDS, "description": "Seconds after which it must not run" },
            "max_retries": { "type": "integer", "minimum": 0, "maximum": 20, "description": "Further attempts after a failure that may pass" },
            "max_attempts": { "type": "integer", "minimum": 1, "maximum": 21, "description": "The same, with the first attempt: give one of the two" },
            "idempotent": { "type": "boolean", "default": false, "description": "Shell commands only: running it twice does no harm" },
        },
        "required": ["task_id", "type", "parameters"],
        "additionalProperties": false,
    });
    let words: Vec<&str> = POLICIES.iter().map(|(word, _)| *word).collect();
    let properties = json!({
        "tasks": { "type": "array", "items": task, "minItems": 1, "description": "The tasks" },
        "cd": { "type": "string", "description": "The folder the tasks work in: an absolute path; none of them leaves it" },
        "key": { "type": "string", "description": "Your own name for the batch: the same tasks under the same key are carried out once" },
        "on_failure": { "type": "string", "enum": words, "default": "continue", "description": "Whether others start after a task failed" },
        "deadline_seconds": { "type": "integer", "minimum": 1, "maximum": MAX_DEADLINE_SECONDS, "description": "Seconds after which nothing of it runs" },
    });
    let description = "Submits many tasks at once: prompts, research, agents, shell commands in a sandbox. Answers at \
                       once with `response_id` and the state of each task; ask batch_poll with it until `status` is no \
                       longer `pending`.";
    let schema = schema::object(properties, &["tasks", "cd"]);
    Tool::new(ToolName::BatchSubmit.as_str(), description, schema)
        .with_title("Submit a batch of tasks")
        .with_raw_output_schema(schema::batch_answer())
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(false)
                .open_world(true),
        )
}

pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    let tool = ToolName::BatchSubmit.as_str();
    match submit(call, arguments).await {
        Ok(answer) => answer,
        Err(failure) => McpAnswer::failure(tool, &failure),
    }
}

async fn submit(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<McpAnswer, Failure> {
    let request = (call.setup.batch)(read(arguments)?)?;
    let batches = Batches::new(call.setup.desk.clone());
    // If the client is gone by then, it finds the batch in the list, or by its key.
    let answer = finish_detached(
        call.setup.answer_within,
        async move { batches.submit(request).await },
    )
    .await?;
    Ok(McpAnswer::success(&BatchSuccess::new(
        ToolName::BatchSubmit,
        answer,
    )))
}

fn read(arguments: Option<JsonObject>) -> Result<BatchParameters, Failure> {
    let arguments = Arguments::new(arguments, &PARAMETERS)?;
    let directory = folder(&arguments.required("cd")?)?;
    arguments.choice("on_failure", &POLICIES)?;
    arguments.number("deadline_seconds", 1..=MAX_DEADLINE_SECONDS)?;
    arguments.text("key")?;
    if !arguments.value("tasks").is_some_and(Value::is_array) {
        return Err(wrong("tasks", "must be a list of tasks"));
    }
    let whole: JsonObject = PARAMETERS
        .into_iter()
        .filter(|name| *name != "cd")
        .filter_map(|name| Some((name.to_owned(), arguments.value(name)?.clone())))
        // An empty text counts as not given.
        .filter(|(_, value)| value.as_str() != Some(""))
        .collect();
    let bytes = serde_json::to_vec(&whole)
        .map_err(|error| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
    Ok(BatchParameters {
        batch: read_batch(&bytes)?,
        directory,
    })
}
