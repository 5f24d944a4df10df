//! Tasks of the protocol (extension `io.modelcontextprotocol/tasks`): a task is a run, its id is the run's id.
//!
//! So a task outlives the connection, the client and this process; any client with the id can poll it.

use gemicro_core::run::RunRow;
use gemicro_engine::{RunService, asked_in};
use gemicro_event::{ErrorKind, Failure, RunStatus};
use rmcp::ErrorData;
use rmcp::model::{CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use crate::run_answer;

/// Recommended poll interval of clients.
const POLL_EVERY_MS: u64 = 1_000;

/// Creates a task for a call.
pub(crate) async fn create(desk: &dyn RunService, run: &str) -> Result<CreateTaskResult, ErrorData> {
    let row = find(desk, run).await?;
    Ok(CreateTaskResult::new(task(desk, &row).await?))
}

/// The state of a task, with its result if there is one.
pub(crate) async fn get(desk: &dyn RunService, task_id: &str) -> Result<GetTaskResult, ErrorData> {
    let row = find(desk, task_id).await?;
    let payload = match row.status {
        RunStatus::Running | RunStatus::Parked | RunStatus::Suspended => TaskPayload::Working,
        RunStatus::Cancelled => TaskPayload::Cancelled,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Interrupted => {
            let events = desk
                .events(&row.run)
                .await
                .map_err(|failure| error_data(&failure))?;
            let result = run_answer::ended_answer(&events).into_result();
            TaskPayload::Completed {
                result: object(&result)?,
            }
        }
    };
    let task = task(desk, &row).await?;
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// The run of a task.
pub(crate) async fn find(desk: &dyn RunService, task_id: &str) -> Result<RunRow, ErrorData> {
    let row = desk.find(task_id).await.map_err(|failure| error_data(&failure))?;
    if row.run.as_str() == task_id {
        Ok(row)
    } else {
        let message = format!("there is no task {task_id}");
        Err(ErrorData::invalid_params(message, None))
    }
}

/// Converts a failure to a protocol error.
pub(crate) fn error_data(failure: &Failure) -> ErrorData {
    let data = serde_json::to_value(failure.kind).ok();
    let data = data.map(|kind| serde_json::json!({ "error_kind": kind }));
    match failure.kind {
        ErrorKind::NotFound | ErrorKind::InvalidInput => {
            ErrorData::invalid_params(failure.message.clone(), data)
        }
        _ => ErrorData::internal_error(failure.message.clone(), data),
    }
}

async fn task(desk: &dyn RunService, row: &RunRow) -> Result<Task, ErrorData> {
    let status = match row.status {
        RunStatus::Running | RunStatus::Parked | RunStatus::Suspended => TaskStatus::Working,
        RunStatus::Cancelled => TaskStatus::Cancelled,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Interrupted => TaskStatus::Completed,
    };
    let run = &row.run;
    let words = match row.status {
        RunStatus::Parked => {
            let events = desk.events(run).await.map_err(|failure| error_data(&failure))?;
            match asked_in(run, &events) {
                Some(question) => format!(
                    "run {run} waits for an answer: {} Ask the user, then run `gemicro answer {run} yes` (or no)",
                    question.text
                ),
                None => format!("run {run} is waiting and continues by itself"),
            }
        }
        RunStatus::Suspended => format!("run {run} is stopped; `gemicro resume {run}` continues it"),
        _ => format!("run {run} is {}", row.status.as_str()),
    };
    let task = Task::new(
        run.as_str(),
        status,
        row.started_at.to_string(),
        row.updated_at.to_string(),
    );
    Ok(task
        .with_status_message(words)
        .with_poll_interval_ms(POLL_EVERY_MS))
}

fn object(value: &impl serde::Serialize) -> Result<JsonObject, ErrorData> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ErrorData::internal_error("a result is not an object", None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}
