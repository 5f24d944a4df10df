//! What a run means to the one who called the tool: its events as the tool's answer.

use gemicro_core::ask::{AskPlan, ToolAnswer, ToolExtras, minutes};
use gemicro_core::research::events::{FinalResult, ResearchReaders};
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_event::{ErrorKind, Event, Failure, StreamId, Timestamp};
use serde::Serialize;

use crate::answer::Answer;

/// The name of the research tool.
pub(crate) const RESEARCH: &str = "research";
/// The tool of pipelines.
const PIPELINE: &str = "pipeline_start";

/// A run as the tool that started it.
enum Kind {
    Ask(Box<AskPlan>),
    Research(Box<RunStarted>),
    Pipeline(Box<RunStarted>),
    Other(String),
}

/// The success of a tool whose run ended with a text.
#[derive(Debug, Serialize)]
struct RunSuccess {
    success: bool,
    tool: &'static str,
    run_id: StreamId,
    /// The answer in Markdown.
    result: String,
    #[serde(flatten)]
    more: serde_json::Map<String, serde_json::Value>,
    duration: String,
}

/// The answer of a run that has ended, or was stopped before it could.
pub(crate) fn ended(events: &[Event]) -> Answer {
    match kind(events) {
        Ok(Kind::Ask(plan)) => match ToolAnswer::of(events) {
            Some(answer) => {
                let extras = ToolExtras {
                    all_messages: plan.task.keep_messages,
                    metrics: false,
                };
                Answer::of_tool(&answer.with_extras(extras, events))
            }
            None => Answer::failure(plan.task.agent.as_str(), &unreadable(events)),
        },
        Ok(Kind::Research(started)) => research(&started, events),
        Ok(Kind::Pipeline(started)) => pipeline(&started, events),
        Ok(Kind::Other(flow)) => Answer::failure("run_result", &other_flow(events, &flow)),
        Err(failure) => Answer::failure("run_result", &failure),
    }
}

/// The answer for a run that goes on.
pub(crate) fn goes_on(run: &StreamId, events: &[Event]) -> Answer {
    let since = events.first().map(|first| first.update.timestamp);
    let so_far = since.map_or(std::time::Duration::ZERO, |since| Timestamp::now().since(since));
    let (tool, limits) = match kind(events) {
        Ok(Kind::Ask(plan)) => (plan.task.agent.as_str(), (plan.task.idle_ms, plan.task.total_ms)),
        Ok(Kind::Research(started)) => (RESEARCH, limits(&started)),
        Ok(Kind::Pipeline(started)) => (PIPELINE, limits(&started)),
        Ok(Kind::Other(_)) | Err(_) => ("run_result", (0, 0)),
    };
    Answer::of_tool(&ToolAnswer::still_running(tool, run, limits, so_far))
}

fn kind(events: &[Event]) -> Result<Kind, Failure> {
    let started = events.first().and_then(|first| first.update.as_run_started());
    let started = started.ok_or_else(|| unreadable(events))?;
    match started.flow.as_str() {
        "ask" => match started.plan.parse() {
            Ok(plan) => Ok(Kind::Ask(Box::new(plan))),
            Err(_) => Err(unreadable(events)),
        },
        "research" => Ok(Kind::Research(Box::new(started))),
        "pipeline" => Ok(Kind::Pipeline(Box::new(started))),
        _ => Ok(Kind::Other(started.flow)),
    }
}

fn research(started: &RunStarted, events: &[Event]) -> Answer {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Answer::failure(RESEARCH, &unreadable(events));
    };
    let duration = last.update.timestamp.since(first.update.timestamp);
    if let Some(found) = last.update.as_final_result() {
        return Answer::success(&RunSuccess {
            success: true,
            tool: RESEARCH,
            run_id: first.stream.clone(),
            result: found.answer.clone(),
            more: more(&found),
            duration: minutes(duration),
        });
    }
    let failure = why_it_ended(first, last);
    Answer::of_tool(&ToolAnswer::failure(
        RESEARCH,
        &failure,
        limits(started),
        0,
        duration,
    ))
}

/// A pipeline's end: its request as text, and everything else beside it.
fn pipeline(started: &RunStarted, events: &[Event]) -> Answer {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Answer::failure(PIPELINE, &unreadable(events));
    };
    let duration = last.update.timestamp.since(first.update.timestamp);
    if last.update.event_type != "final_result" {
        let failure = why_it_ended(first, last);
        return Answer::of_tool(&ToolAnswer::failure(
            PIPELINE,
            &failure,
            limits(started),
            0,
            duration,
        ));
    }
    let mut more = match last.update.data.parse() {
        Ok(serde_json::Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let result = more.remove("answer");
    Answer::success(&RunSuccess {
        success: true,
        tool: PIPELINE,
        run_id: first.stream.clone(),
        result: result
            .as_ref()
            .and_then(|it| it.as_str())
            .unwrap_or_default()
            .to_owned(),
        more,
        duration: minutes(duration),
    })
}

/// Everything of a result but the answer itself.
fn more(found: &FinalResult) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(found) {
        Ok(serde_json::Value::Object(mut fields)) => {
            fields.remove("answer");
            fields
        }
        Ok(_) | Err(_) => serde_json::Map::new(),
    }
}

fn why_it_ended(first: &Event, last: &Event) -> Failure {
    if let Some(failed) = last.update.as_run_failed() {
        return failed.error;
    }
    let run = &first.stream;
    match last.update.event_type.as_str() {
        "run_cancelled" => Failure::new(ErrorKind::Cancelled, format!("run {run} was cancelled")),
        "run_interrupted" => Failure::new(ErrorKind::Interrupted, last.update.message.clone()),
        _ => {
            let message =
                format!("run {run} was stopped before it ended; `gemicro resume {run}` goes on with it");
            Failure::new(ErrorKind::Interrupted, message)
        }
    }
}

fn limits(started: &RunStarted) -> (u64, u64) {
    (0, started.limits.wall_ms.unwrap_or(0))
}

fn other_flow(events: &[Event], flow: &str) -> Failure {
    let run = events.first().map_or("RUN", |first| first.stream.as_str());
    let message = match flow {
        "batch" => format!("run {run} is a batch: call batch_poll with the response_id {run}"),
        _ => format!(
            "run {run} is of the flow `{flow}`, whose result this tool cannot tell: `gemicro show {run}`"
        ),
    };
    Failure::new(ErrorKind::InvalidInput, message)
}

fn unreadable(events: &[Event]) -> Failure {
    let message = match events.first() {
        Some(first) => format!("the journal of run {} cannot be read", first.stream),
        None => "the run has no events".to_owned(),
    };
    Failure::new(ErrorKind::StorageError, message)
}
