//! A whole answer from a stream of pieces, judged truthfully.

use futures_util::StreamExt;
use gemicro_event::{ErrorKind, Failure, Json, Usage};

use super::executor::charge_for;
use super::{FinishReason, LlmBackend, LlmChunk, LlmEnd, LlmRequest, LlmResponse, json_in};
use crate::flow::{Spent, StepFailure};
use crate::tokens::{TokenCounter, WeightedEstimator};

/// Calls a model and waits for the whole answer; `on_text` and `on_handle` see the pieces as they come.
///
/// # Errors
/// When the backend fails, or the answer is empty, cut, blocked or not of the asked shape: a success needs
/// content and a proper end.
pub async fn generate(
    backend: &dyn LlmBackend,
    request: &LlmRequest,
    handle: Option<Json>,
    on_text: impl Fn(&str),
    on_handle: impl Fn(Json),
) -> Result<LlmResponse, StepFailure> {
    let mut chunks = backend.stream(request.clone(), handle);
    let mut text = String::new();
    let mut end = None;
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            LlmChunk::Handle(handle) => on_handle(handle),
            LlmChunk::Text(piece) => {
                on_text(&piece);
                text.push_str(&piece);
            }
            LlmChunk::End(told) => {
                end = Some(told);
                break;
            }
        }
    }
    judge(request, text, end)
}

fn judge(request: &LlmRequest, text: String, end: Option<LlmEnd>) -> Result<LlmResponse, StepFailure> {
    let Some(end) = end else {
        let failure = Failure::new(
            ErrorKind::TruncatedOutput,
            "the answer was cut off before its end",
        );
        return Err(StepFailure {
            failure,
            spent: Spent::Unknown,
        });
    };
    let usage = end.usage.unwrap_or_else(|| estimate(request, &text));
    let problem = match &end.finish {
        FinishReason::MaxTokens => Some((
            ErrorKind::TruncatedOutput,
            "the answer reached the output limit".to_owned(),
        )),
        FinishReason::Blocked { reason } => Some((
            ErrorKind::UpstreamError,
            format!("the provider blocked the answer: {reason}"),
        )),
        FinishReason::Stop if text.trim().is_empty() => Some((
            ErrorKind::EmptyResult,
            "the model answered with no text".to_owned(),
        )),
        FinishReason::Stop if request.schema.is_some() && json_in(&text).is_none() => Some((
            ErrorKind::MalformedOutput,
            "the answer holds no JSON of the asked shape".to_owned(),
        )),
        FinishReason::Stop => None,
    };
    match problem {
        Some((kind, message)) => {
            // What was written was billed, whatever it is worth.
            let spent = Spent::Known(charge_for(&request.model, &usage));
            Err(StepFailure {
                failure: Failure::new(kind, message),
                spent,
            })
        }
        None => Ok(LlmResponse {
            text,
            usage,
            interaction_id: end.interaction_id,
        }),
    }
}

fn estimate(request: &LlmRequest, text: &str) -> Usage {
    tracing::warn!(
        label = request.label,
        "the provider reported no usage; tokens are estimated"
    );
    let counter = WeightedEstimator;
    let system = request.system.as_deref().unwrap_or_default();
    Usage {
        input_tokens: counter.expected(system) + counter.expected(&request.prompt),
        output_tokens: counter.expected(text),
        estimated: true,
        ..Usage::default()
    }
}
