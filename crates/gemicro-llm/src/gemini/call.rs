//! Starts a Gemini call, resumes it after an interruption, or polls it until it ends.
//!
//! A new call is one POST, never repeated. Everything after it, and everything when a call is resumed by its handle,
//! only queries the existing interaction.

use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::{BoxStream, StreamExt};
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::llm::{AnswerDelivery, FinishReason, LlmChunk, LlmEnd, LlmRequest};
use gemicro_event::{ErrorKind, Failure};
use tokio::time::sleep;

use super::create_body::{WireMode, is_agent, write_request};
use super::endpoint::{EndpointRequest, GeminiEndpoint};
use super::follow::{FollowSource, follow};
use super::interaction::{Interaction, InteractionStatus};
use super::listener::{GeminiChunk, GeminiListener, handle_of};
use super::trouble::{GeminiTrouble, RequestSubject};
use super::wire::read_interaction;

/// Maximum time for one poll of an interaction.
const LOOK_TIME: Duration = Duration::from_secs(30);

/// Everything that a call needs.
#[derive(Debug, Clone)]
pub(super) struct GeminiCall {
    pub(super) endpoint: Arc<GeminiEndpoint>,
    pub(super) poll: Duration,
    pub(super) max_resumes: u32,
    pub(super) request: LlmRequest,
}

pub(super) fn start(call: GeminiCall) -> BoxStream<'static, GeminiChunk> {
    let mode = match call.request.delivery {
        _ if is_agent(&call.request.model) => WireMode::Background,
        AnswerDelivery::Streamed => WireMode::Streamed,
        AnswerDelivery::Buffered => WireMode::Buffered,
        AnswerDelivery::Background => WireMode::Background,
    };
    let body = match write_request(&call.request, mode) {
        Ok(body) => body,
        Err(error) => {
            let message = format!("the request cannot be written as JSON: {error}");
            let failure = StepFailure::free(Failure::new(ErrorKind::Internal, message));
            return futures_util::stream::iter([Err(failure)]).boxed();
        }
    };
    match mode {
        WireMode::Streamed => {
            let listener = call.listener(None);
            follow(call, listener, FollowSource::Create(body))
        }
        WireMode::Buffered | WireMode::Background => create_whole(call, body, mode),
    }
}

/// Resumes a call by its interaction id. Up to `max_resumes` failed polls are tolerated. Never sends a POST, so it
/// causes no new cost.
pub(super) fn pick_up(call: GeminiCall, id: String) -> BoxStream<'static, GeminiChunk> {
    let chunks = stream! {
        let mut n_failed = 0;
        let interaction = loop {
            match look(&call, &id).await {
                Ok(interaction) => break interaction,
                Err(trouble) if trouble.passes() && n_failed < call.max_resumes => n_failed += 1,
                Err(trouble) => {
                    yield Err(call.lost_call(trouble));
                    return;
                }
            }
            yield Ok(LlmChunk::Alive);
            sleep(call.poll).await;
        };
        let mut listener = call.listener(Some(id.clone()));
        if interaction.status != InteractionStatus::Running {
            for chunk in listener.settle(&interaction) {
                yield chunk;
            }
            return;
        }
        yield Ok(LlmChunk::Alive);
        let is_streamed = call.request.delivery == AnswerDelivery::Streamed && !is_agent(&call.request.model);
        let mut rest = if is_streamed {
            follow(call, listener, FollowSource::Listen(id))
        } else {
            wait_for(call, listener, id)
        };
        while let Some(chunk) = rest.next().await {
            yield chunk;
        }
    };
    chunks.boxed()
}

/// Sends one POST that returns the whole interaction, or one that is still running.
fn create_whole(call: GeminiCall, body: Vec<u8>, mode: WireMode) -> BoxStream<'static, GeminiChunk> {
    let chunks = stream! {
        let answer = call.endpoint.json(EndpointRequest::post(interactions(), body, None)).await;
        let interaction = match answer.and_then(|value| interaction_in(&value)) {
            Ok(interaction) => interaction,
            Err(trouble) => {
                yield call.refused_start(trouble);
                return;
            }
        };
        let is_running = interaction.status == InteractionStatus::Running;
        if let Some(id) = interaction.id.clone().filter(|_| is_running || mode == WireMode::Background) {
            yield Ok(LlmChunk::Handle(handle_of(&id, call.endpoint.host())));
        }
        let mut listener = call.listener(interaction.id.clone());
        match interaction.id.clone().filter(|_| is_running) {
            Some(id) => {
                let mut rest = wait_for(call, listener, id);
                while let Some(chunk) = rest.next().await {
                    yield chunk;
                }
            }
            None => {
                for chunk in listener.settle(&interaction) {
                    yield chunk;
                }
            }
        }
    };
    chunks.boxed()
}

/// Polls an interaction until it has ended. Some polls in a row may fail.
pub(super) fn wait_for(
    call: GeminiCall,
    mut listener: GeminiListener,
    id: String,
) -> BoxStream<'static, GeminiChunk> {
    let chunks = stream! {
        let mut n_failed = 0;
        loop {
            sleep(call.poll).await;
            match look(&call, &id).await {
                Ok(interaction) if interaction.status == InteractionStatus::Running => n_failed = 0,
                Ok(interaction) => {
                    for chunk in listener.settle(&interaction) {
                        yield chunk;
                    }
                    return;
                }
                Err(trouble) if trouble.passes() && n_failed < call.max_resumes => n_failed += 1,
                Err(trouble) => {
                    yield Err(call.lost_call(trouble));
                    return;
                }
            }
            yield Ok(LlmChunk::Alive);
        }
    };
    chunks.boxed()
}

impl GeminiCall {
    fn listener(&self, id: Option<String>) -> GeminiListener {
        GeminiListener::new(self.endpoint.host(), &self.request, id)
    }

    /// Converts an error of the request that starts a call.
    pub(super) fn refused_start(&self, trouble: GeminiTrouble) -> GeminiChunk {
        if let Some(reason) = trouble.block() {
            return Ok(LlmChunk::End(LlmEnd {
                finish: FinishReason::Blocked { reason },
                usage: None,
                interaction_id: None,
                annotations: Vec::new(),
                calls: Vec::new(),
            }));
        }
        // A 404 can mean that the model or the previous interaction is missing. Blame the interaction: if the call is
        // retried without it and still fails, the model is missing.
        let continues = self.request.previous.is_some() || !self.request.rounds.is_empty();
        let subject = match trouble.status() {
            Some(404) if continues => RequestSubject::Interaction,
            _ => RequestSubject::Model(&self.request.model),
        };
        Err(trouble.into_step_failure(self.endpoint.host(), subject))
    }

    /// An error after the call was started: its cost is unknown.
    pub(super) fn lost_call(&self, trouble: GeminiTrouble) -> StepFailure {
        StepFailure::new(
            trouble.into_failure(self.endpoint.host(), RequestSubject::Interaction),
            AttemptCost::Unknown,
        )
    }
}

/// The current state of the interaction.
pub(super) async fn look(call: &GeminiCall, id: &str) -> Result<Interaction, GeminiTrouble> {
    let value = call
        .endpoint
        .json(EndpointRequest::get(interaction(id), LOOK_TIME))
        .await?;
    let found = interaction_in(&value)?;
    match found.id.as_deref() {
        Some(other) if other != id => Err(GeminiTrouble::Foreign(
            "another interaction than the one asked for".to_owned(),
        )),
        Some(_) | None => Ok(found),
    }
}

fn interaction_in(value: &serde_json::Value) -> Result<Interaction, GeminiTrouble> {
    let found = read_interaction(value);
    found.ok_or_else(|| {
        let start: String = value.to_string().chars().take(200).collect();
        GeminiTrouble::Foreign(format!("JSON that is no interaction: {start}"))
    })
}

pub(super) fn interactions() -> Vec<String> {
    vec!["interactions".to_owned()]
}

pub(super) fn interaction(id: &str) -> Vec<String> {
    vec!["interactions".to_owned(), id.to_owned()]
}
