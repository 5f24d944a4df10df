//! `run_result`: the result of a run, in the form of the tool that started it.

use std::time::Duration;

use gemicro_core::run::RunRow;
use gemicro_event::{ErrorKind, Failure, RunStatus};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::ToolName;
use super::call::{McpToolCall, withdrawn};
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::run_answer;
use crate::waiting::{WaitOutcome, finish_detached, wait};

/// Maximum wait in seconds: an hour, longer than any call may take.
const MAX_WAIT_S: u32 = 3_600;

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({
        "run_id": schema::run_id(),
        "wait_s": {
            "type": "integer", "minimum": 0, "maximum": MAX_WAIT_S,
            "description": "Seconds to wait for the end, as long as a call may take; by default that long",
        },
    });
    let description = "Fetches the answer of a run, in the shape of the tool that started it. Waits for it; \
                       error_kind `still_running` means: call again; \
                       `input_required` means: a person has to answer `question` first.";
    let schema = schema::object(properties, &["run_id"]);
    Tool::new(ToolName::RunResult.as_str(), description, schema)
        .with_title("Result of a run")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// Waits for a run and returns its answer.
pub(super) async fn call(call: McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match result(call, arguments).await {
        Ok(answer) => answer,
        Err(failure) => McpAnswer::failure(ToolName::RunResult.as_str(), &failure),
    }
}

async fn result(mut call: McpToolCall, arguments: Option<JsonObject>) -> Result<McpAnswer, Failure> {
    let arguments = Arguments::new(arguments, &["run_id", "wait_s"])?;
    let named = arguments.required("run_id")?;
    let within = match arguments.number("wait_s", 0..=MAX_WAIT_S)? {
        Some(seconds) => call
            .setup
            .answer_within
            .min(Duration::from_secs(u64::from(seconds))),
        None => call.setup.answer_within,
    };
    let (row, events) = call.look_up(named).await?;
    if let Some(answer) = waits_for_person(&call, &row).await? {
        return Ok(answer);
    }
    match row.status {
        // A suspended run does not continue by itself.
        RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Interrupted
        | RunStatus::Suspended => return Ok(run_answer::ended_answer(&events)),
        RunStatus::Running | RunStatus::Parked => {}
    }
    call.progress.known_to(row.n_events);
    let watching = call.setup.desk.watch(&row.run).await?;
    let patience = call.patience(within);
    Ok(match wait(watching, &patience, &mut call.progress).await {
        WaitOutcome::Ended(events) => run_answer::ended_answer(&events),
        WaitOutcome::GoesOn(_, _) => match waits_for_person(&call, &row).await? {
            Some(answer) => answer,
            None => run_answer::goes_on(&row.run, &events),
        },
        // Cancelling this call does not cancel the run.
        WaitOutcome::Withdrawn => withdrawn(ToolName::RunResult.as_str()),
    })
}

/// The answer for a run that a person has to answer before it continues.
async fn waits_for_person(call: &McpToolCall, row: &RunRow) -> Result<Option<McpAnswer>, Failure> {
    if row.status.is_terminal() {
        return Ok(None);
    }
    let (desk, run) = (call.setup.desk.clone(), row.run.clone());
    let snapshot = finish_detached(
        call.setup.answer_within,
        async move { desk.state(run.as_str()).await },
    )
    .await?;
    let Some(question) = snapshot.question else {
        return Ok(None);
    };
    let asking = &question.run_id;
    let then = match snapshot.row.status {
        RunStatus::Suspended => format!(", then `gemicro resume {}`", row.run),
        _ => String::new(),
    };
    let message = format!(
        "run {asking} waits for an answer: {} Answer with `gemicro answer {asking} yes` (or no){then}",
        question.text
    );
    let failure = Failure::new(ErrorKind::InputRequired, message);
    let answer = McpAnswer::failure(ToolName::RunResult.as_str(), &failure);
    Ok(Some(answer.with("question", &question)))
}
