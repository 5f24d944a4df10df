//! Simulated models for tests: each misbehaves in its own way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_event::{ErrorKind, Failure, Json, Usage};

use super::{FinishReason, LlmBackend, LlmChunk, LlmEnd, LlmRequest};
use crate::flow::{AttemptCost, StepFailure};

/// The behaviour of a scripted model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Answers every prompt well, from its sources if there are any.
    Perfect,
    /// Invents sources and quotes.
    Liar,
    /// Answers with almost nothing.
    Lossy,
    /// Answers with far too much.
    Bloater,
    /// Repeats the prompt.
    Echo,
    /// Never answers.
    Hanger,
    /// Answers with noise.
    Garbage,
    /// Fails every other call with a retryable error.
    Flaky,
    /// Uses every token it may.
    Spender,
}

/// A model with a scripted behaviour; deterministic, and counts its calls.
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    part: Part,
    n_calls: Arc<AtomicUsize>,
    delay: Duration,
}

impl ScriptedModel {
    /// A model with this behaviour.
    #[must_use]
    pub fn new(part: Part) -> Self {
        Self {
            part,
            n_calls: Arc::default(),
            delay: Duration::ZERO,
        }
    }

    /// Takes this long for every answer.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Number of calls so far.
    #[must_use]
    pub fn n_calls(&self) -> usize {
        self.n_calls.load(Ordering::SeqCst)
    }

    fn text_for(&self, request: &LlmRequest) -> String {
        match self.part {
            Part::Perfect | Part::Flaky | Part::Spender | Part::Hanger => well(request),
            Part::Liar => lie(request),
            Part::Lossy => "It depends.".to_owned(),
            Part::Bloater => format!(
                "{}\n\n{}",
                "More could be said about this. ".repeat(400),
                well(request)
            ),
            Part::Echo => request.prompt.clone(),
            Part::Garbage => "]}{[ <<%%>> \u{fffd}\u{0} ))((".to_owned(),
        }
    }
}

impl LlmBackend for ScriptedModel {
    fn name(&self) -> &str {
        "scripted"
    }

    fn stream(
        &self,
        request: LlmRequest,
        _handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let model = self.clone();
        let call = self.n_calls.fetch_add(1, Ordering::SeqCst);
        Box::pin(stream! {
            if model.part == Part::Hanger {
                std::future::pending::<()>().await;
            }
            if !model.delay.is_zero() {
                tokio::time::sleep(model.delay).await;
            }
            if model.part == Part::Flaky && call.is_multiple_of(2) {
                let failure = Failure::new(ErrorKind::UpstreamError, "503 from the scripted model");
                yield Err(StepFailure::new(failure, AttemptCost::Nothing));
                return;
            }
            let text = model.text_for(&request);
            let input_tokens = (request.prompt.len() + request.system.as_deref().map_or(0, str::len)) as u64 / 4;
            let usage = match model.part {
                Part::Spender => Usage {
                    input_tokens: (request.prompt.len() + request.system.as_deref().map_or(0, str::len)) as u64,
                    output_tokens: request.max_output_tokens,
                    ..Usage::default()
                },
                _ => Usage {
                    input_tokens,
                    output_tokens: (text.len() as u64 / 4).min(request.max_output_tokens),
                    ..Usage::default()
                },
            };
            yield Ok(LlmChunk::Text(text));
            let end = LlmEnd { finish: FinishReason::Stop, usage: Some(usage), interaction_id: None, annotations: Vec::new(), calls: Vec::new() };
            yield Ok(LlmChunk::End(end));
        })
    }
}

/// A good answer to each of research's prompts.
fn well(request: &LlmRequest) -> String {
    match request.label.as_str() {
        "decompose" => {
            let question = after(&request.prompt, "Question:");
            let n = after(&request.prompt, "At most")
                .split(' ')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(3);
            let parts: Vec<String> = (1..=n).map(|idx| format!("Part {idx} of: {question}")).collect();
            serde_json::json!({ "sub_queries": parts }).to_string()
        }
        "answer" => {
            let quote = first_source(&request.prompt);
            let answer = if quote.is_empty() {
                format!("What is known: {}", after(&request.prompt, "Question:"))
            } else {
                format!("{quote} [1]")
            };
            let citations = if quote.is_empty() {
                serde_json::json!([])
            } else {
                serde_json::json!([{ "source": 1, "quote": quote }])
            };
            serde_json::json!({ "answer": answer, "citations": citations }).to_string()
        }
        _ => {
            let findings = after_block(&request.prompt, "Findings:");
            format!("In short:\n\n{findings}")
        }
    }
}

fn lie(request: &LlmRequest) -> String {
    match request.label.as_str() {
        "decompose" => well(request),
        "answer" => serde_json::json!({
            "answer": "It is certain [1] and proven [7].",
            "citations": [
                { "source": 1, "quote": "A sentence that stands in no source at all." },
                { "source": 77, "quote": "Another one." },
            ],
        })
        .to_string(),
        _ => "All sources agree [1][2][99]; see https://evil.example/proof [42].".to_owned(),
    }
}

fn after<'a>(text: &'a str, label: &str) -> &'a str {
    text.split_once(label)
        .map_or("", |(_, rest)| rest.lines().next().unwrap_or_default().trim())
}

fn after_block<'a>(text: &'a str, label: &str) -> &'a str {
    text.split_once(label).map_or("", |(_, rest)| rest.trim())
}

/// The first sentence of the first numbered source in an `answer` prompt.
fn first_source(prompt: &str) -> String {
    let Some((_, rest)) = prompt.split_once("[1] ") else {
        return String::new();
    };
    let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
    let sentence = body.split_inclusive(". ").next().unwrap_or_default();
    sentence.lines().next().unwrap_or_default().trim().to_owned()
}
