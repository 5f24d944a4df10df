//! Turns the events of a run into the answer of a tool.

use gemicro_core::ask::{ToolAnswer, ToolExtras, minutes};
use gemicro_core::flow::ResultView;
use gemicro_core::research::RelatedPassage;
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_engine::flow_named;
use gemicro_event::{ErrorKind, Event, Failure, StreamId, Timestamp};
use serde::Serialize;

use crate::answer::McpAnswer;

/// The name of the research tool.
pub(crate) const RESEARCH: &str = "research";
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

/// The answer of a run that has ended or was stopped.
pub(crate) fn ended_answer(events: &[Event]) -> McpAnswer {
    let (started, view) = match read(events) {
        Ok(read) => read,
        Err(failure) => return McpAnswer::failure("run_result", &failure),
    };
    match view {
        ResultView::Text { tool } => text(tool, &started, events),
        ResultView::Agent {
            agent, all_messages, ..
        } => match ToolAnswer::of(events) {
            Some(answer) => {
                let extras = ToolExtras {
                    all_messages,
                    metrics: false,
                };
                McpAnswer::of_tool(&answer.with_extras(extras, events))
            }
            None => McpAnswer::failure(agent.as_str(), &unreadable(events)),
        },
        ResultView::Polled { .. } | ResultView::ShowOnly => {
            McpAnswer::failure("run_result", &elsewhere(events, &started.flow, &view))
        }
    }
}

/// The answer for a run that continues.
pub(crate) fn goes_on(run: &StreamId, events: &[Event]) -> McpAnswer {
    let since = events.first().map(|first| first.update.timestamp);
    let so_far = since.map_or(std::time::Duration::ZERO, |since| Timestamp::now().since(since));
    let (tool, limits) = match read(events) {
        Ok((_, ResultView::Agent { agent, limits, .. })) => (agent.as_str(), limits),
        Ok((started, ResultView::Text { tool })) => (tool, limits(&started)),
        Ok((_, ResultView::Polled { .. } | ResultView::ShowOnly)) | Err(_) => ("run_result", (0, 0)),
    };
    McpAnswer::of_tool(&ToolAnswer::still_running(tool, run, limits, so_far))
}

/// The first event of a run, and how its result is read.
fn read(events: &[Event]) -> Result<(RunStarted, ResultView), Failure> {
    let started = events.first().and_then(|first| first.update.as_run_started());
    let started = started.ok_or_else(|| unreadable(events))?;
    let view = match flow_named(&started.flow) {
        Some(flow) => flow.facts(&started.plan).map_err(|_| unreadable(events))?.result,
        None => ResultView::ShowOnly,
    };
    Ok((started, view))
}

/// A result with a text, and all its other fields.
fn text(tool: &'static str, started: &RunStarted, events: &[Event]) -> McpAnswer {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return McpAnswer::failure(tool, &unreadable(events));
    };
    let duration = last.update.timestamp.since(first.update.timestamp);
    if last.update.event_type != "final_result" {
        let failure = why_it_ended(first, last);
        let answer = McpAnswer::of_tool(&ToolAnswer::failure(tool, &failure, limits(started), 0, duration));
        let related = RelatedPassage::of_failure(&failure);
        return if related.is_empty() {
            answer
        } else {
            answer.with("related", &related)
        };
    }
    let mut more = match last.update.data.parse() {
        Ok(serde_json::Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let result = more.remove("answer");
    McpAnswer::success(&RunSuccess {
        success: true,
        tool,
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
                format!("run {run} was stopped before it completed; `gemicro resume {run}` continues it");
            Failure::new(ErrorKind::Interrupted, message)
        }
    }
}

fn limits(started: &RunStarted) -> (u64, u64) {
    (0, started.limits.wall_ms.unwrap_or(0))
}

fn elsewhere(events: &[Event], flow: &str, view: &ResultView) -> Failure {
    let run = events.first().map_or("RUN", |first| first.stream.as_str());
    let message = match view {
        ResultView::Polled { tool } => {
            format!("run {run} is a {flow}: call {tool} with the response_id {run}")
        }
        _ => format!(
            "run {run} is of the flow `{flow}`, whose result this tool cannot show; run `gemicro show {run}`"
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
