//! Collects a whole answer from a stream and checks that it is complete.

use std::time::Duration;

use futures_util::StreamExt;
use gemicro_event::{ErrorKind, Failure, Json, Usage};
use tokio::time::{Instant, timeout_at};

use super::{
    AnswerDelivery, CallTime, FinishReason, FunctionRound, LlmBackend, LlmChunk, LlmEnd, LlmRequest,
    LlmResponse, json_in,
};
use crate::flow::{AttemptCost, StepFailure};
use crate::tokens::{CautiousCount, TokenCount};

/// An event while an answer is generated.
#[derive(Debug, PartialEq)]
pub enum GenerationEvent<'a> {
    /// A piece of text.
    Text(&'a str),
    /// A handle by which the call can be picked up.
    Handle(Json),
    /// Something that the adapter does not know.
    Alarm(String),
}

/// Calls a model and waits for the whole answer; `listen` receives events as they come.
///
/// # Errors
/// When the backend fails, is silent or takes too long, or the answer is empty, truncated, blocked or does not match
/// the schema: a success needs content and a proper end.
pub async fn generate(
    backend: &dyn LlmBackend,
    request: &LlmRequest,
    handle: Option<Json>,
    mut listen: impl FnMut(GenerationEvent<'_>),
) -> Result<LlmResponse, StepFailure> {
    let deadline = Instant::now() + Duration::from_millis(request.time.total_ms);
    // A buffered answer sends no data before it is complete.
    let idle_ms = match request.delivery {
        AnswerDelivery::Buffered => request.time.total_ms,
        AnswerDelivery::Streamed | AnswerDelivery::Background => request.time.idle_ms,
    };
    let idle = Duration::from_millis(idle_ms);
    let mut chunks = backend.stream(request.clone(), handle);
    let mut text = String::new();
    let mut end = None;
    loop {
        let silent_at = Instant::now() + idle;
        let chunk = match timeout_at(deadline.min(silent_at), chunks.next()).await {
            Ok(Some(chunk)) => chunk?,
            Ok(None) => break,
            Err(_) => return Err(late(&request.time, silent_at < deadline)),
        };
        match chunk {
            LlmChunk::Handle(handle) => listen(GenerationEvent::Handle(handle)),
            LlmChunk::Text(piece) => {
                listen(GenerationEvent::Text(&piece));
                text.push_str(&piece);
            }
            LlmChunk::Alive => {}
            LlmChunk::Alarm(message) => listen(GenerationEvent::Alarm(message)),
            LlmChunk::End(last) => {
                end = Some(last);
                break;
            }
        }
    }
    judge(request, text, end)
}

fn late(time: &CallTime, was_silent: bool) -> StepFailure {
    let seconds = |ms: u64| ms as f64 / 1_000.0;
    let failure = if was_silent {
        let message = format!("the model sent nothing for {} s", seconds(time.idle_ms));
        Failure::new(ErrorKind::IdleTimeout, message)
    } else {
        let message = format!("no complete answer within {} s", seconds(time.total_ms));
        Failure::new(ErrorKind::Timeout, message)
    };
    StepFailure::new(failure, AttemptCost::Unknown)
}

fn judge(request: &LlmRequest, text: String, end: Option<LlmEnd>) -> Result<LlmResponse, StepFailure> {
    let Some(end) = end else {
        let failure = Failure::new(
            ErrorKind::TruncatedOutput,
            "the answer was cut off before its end",
        );
        return Err(StepFailure::new(failure, AttemptCost::Unknown));
    };
    let usage = end.usage.unwrap_or_else(|| estimate(request, &text));
    let calls = if request.functions.is_empty() {
        Vec::new()
    } else {
        end.calls
    };
    let problem = match &end.finish {
        FinishReason::MaxTokens => Some((
            ErrorKind::TruncatedOutput,
            format!(
                "the answer reached the output limit of {} tokens",
                request.max_output_tokens
            ),
        )),
        FinishReason::Blocked { reason } => Some((
            ErrorKind::Blocked,
            format!("the provider blocked the answer: {reason}"),
        )),
        FinishReason::Stop if !calls.is_empty() => None,
        FinishReason::Stop if text.trim().is_empty() => Some((
            ErrorKind::EmptyResult,
            "the model answered with no text".to_owned(),
        )),
        FinishReason::Stop if request.schema.is_some() && json_in(&text).is_none() => Some((
            ErrorKind::MalformedOutput,
            "the answer contains no JSON that matches the schema".to_owned(),
        )),
        FinishReason::Stop => None,
    };
    match problem {
        Some((kind, message)) => {
            // The output was billed, even if it is useless.
            let spent = AttemptCost::Known(request.charge(&usage));
            Err(StepFailure::new(Failure::new(kind, message), spent))
        }
        None => Ok(LlmResponse {
            text,
            usage,
            interaction_id: end.interaction_id,
            annotations: end.annotations,
            calls,
        }),
    }
}

fn estimate(request: &LlmRequest, text: &str) -> Usage {
    tracing::warn!(
        label = request.label,
        "the provider reported no usage; tokens are estimated"
    );
    let counter = CautiousCount;
    let system = request.system.as_deref().unwrap_or_default();
    let rounds = request.rounds.iter().flat_map(FunctionRound::texts);
    let rounds: u64 = rounds.map(|text| counter.tokens(text)).sum();
    Usage {
        input_tokens: counter.tokens(system) + counter.tokens(&request.prompt) + rounds,
        output_tokens: counter.tokens(text),
        estimated: true,
        ..Usage::default()
    }
}
