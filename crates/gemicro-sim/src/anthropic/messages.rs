//! `POST /v1/messages` and `POST /v1/messages/count_tokens`.

use std::sync::Arc;

use axum::response::Response;
use serde_json::json;

use super::models::require_model;
use super::response::{self, MessageHeading};
use super::{check, request};
use crate::answer::answer;
use crate::play::Encoding;
use crate::scenario::ScenarioEndpoint;
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, Speech, WireDelivery, decide, deliver,
    json_response, plain_outcome,
};

pub(super) async fn create(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json().map_err(|_| not_json())?;
    let call = request::call(ScenarioEndpoint::Messages, &body, incoming.header_names());
    world.log.note_call(incoming, &call);
    let betas = incoming.header("anthropic-beta").unwrap_or_default();
    let check = check::create(&body, betas).and_then(|()| require_model(world, &call.model));
    let speech = match decide(world, incoming, &call, check)? {
        ActionOutcome::Done(response) => return Ok(response),
        ActionOutcome::Speak(speech) => *speech,
        ActionOutcome::Plain => Speech::default(),
    };
    let answer = answer(&speech.reply, speech.fault.as_ref(), &call);
    let heading = MessageHeading {
        number: world.next_id(),
        model: call.model.clone(),
    };
    let delivery = WireDelivery {
        frames: response::events(&answer, &heading),
        whole: response::whole(&answer, &heading),
        answer: &answer,
        encoding: Encoding::TypedEvents,
        fault: speech.fault,
        stream: call.stream,
    };
    deliver(world, delivery).await
}

pub(super) async fn count(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json().map_err(|_| not_json())?;
    let call = request::call(
        ScenarioEndpoint::CountMessageTokens,
        &body,
        incoming.header_names(),
    );
    let betas = incoming.header("anthropic-beta").unwrap_or_default();
    let check = check::count(&body, betas).and_then(|()| require_model(world, &call.model));
    match plain_outcome(world, incoming, &call, check).await? {
        Some(response) => Ok(response),
        None => Ok(json_response(&json!({"input_tokens": call.input_tokens}))),
    }
}

fn not_json() -> SimulatedRefusal {
    SimulatedRefusal::invalid("The request body is not valid JSON.")
}
