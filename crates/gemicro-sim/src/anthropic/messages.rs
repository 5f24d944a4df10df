//! `POST /v1/messages` and `POST /v1/messages/count_tokens`.

use std::sync::Arc;

use axum::response::Response;
use serde_json::json;

use super::models::known;
use super::response::{self, Heading};
use super::{check, request};
use crate::answer::answer;
use crate::play::Encoding;
use crate::scenario::Endpoint;
use crate::server::{
    Delivery, Incoming, Outcome, Refusal, Speech, World, decide, deliver, json_response, plain_outcome,
};

pub(super) async fn create(world: &Arc<World>, incoming: &Incoming) -> Result<Response, Refusal> {
    let body = incoming.json().map_err(|_| not_json())?;
    let call = request::call(Endpoint::Messages, &body, incoming.header_names());
    world.log.note_call(incoming, &call);
    let betas = incoming.header("anthropic-beta").unwrap_or_default();
    let check = check::create(&body, betas).and_then(|()| known(world, &call.model));
    let speech = match decide(world, incoming, &call, check)? {
        Outcome::Done(response) => return Ok(response),
        Outcome::Speak(speech) => *speech,
        Outcome::Plain => Speech::default(),
    };
    let answer = answer(&speech.reply, speech.fault.as_ref(), &call);
    let heading = Heading {
        number: world.next_id(),
        model: call.model.clone(),
    };
    let delivery = Delivery {
        frames: response::events(&answer, &heading),
        whole: response::whole(&answer, &heading),
        answer: &answer,
        encoding: Encoding::TypedEvents,
        fault: speech.fault,
        stream: call.stream,
    };
    deliver(world, delivery).await
}

pub(super) async fn count(world: &Arc<World>, incoming: &Incoming) -> Result<Response, Refusal> {
    let body = incoming.json().map_err(|_| not_json())?;
    let call = request::call(Endpoint::CountMessageTokens, &body, incoming.header_names());
    let betas = incoming.header("anthropic-beta").unwrap_or_default();
    let check = check::count(&body, betas).and_then(|()| known(world, &call.model));
    match plain_outcome(world, incoming, &call, check).await? {
        Some(response) => Ok(response),
        None => Ok(json_response(&json!({"input_tokens": call.input_tokens}))),
    }
}

fn not_json() -> Refusal {
    Refusal::invalid("The request body is not valid JSON.")
}
