//! The endpoints of an interaction that exists: get, stream again, cancel, delete.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::stored::Interaction;
use crate::call::Call;
use crate::play::{Encoding, Reading};
use crate::scenario::{AnswerFault, Endpoint};
use crate::server::{Incoming, Outcome, Refusal, World, decide, json_response, spoilt_json, stream_response};

/// `GET …/interactions/{id}`, also `?stream=true[&last_event_id=…]`.
pub(crate) async fn fetch(world: &Arc<World>, incoming: &Incoming, id: &str) -> Result<Response, Refusal> {
    let found = match find(world, incoming, Endpoint::GetInteraction, id)? {
        Found::Response(response) => return Ok(response),
        Found::Interaction(interaction, fault) => (interaction, fault),
    };
    let (interaction, fault) = found;
    if incoming.parameter("stream") == Some("true") {
        return Ok(stream_response(Reading {
            skip: already_seen(incoming, &interaction)?,
            generation: Arc::clone(&interaction.generation),
            encoding: Encoding::InteractionEvents,
            fault,
            shutdown: world.shutdown.clone(),
        })
        .await);
    }
    let include_input = incoming.parameter("include_input") == Some("true");
    spoilt_json(world, &interaction.after_get(include_input), fault.as_ref()).await
}

/// `POST …/interactions/{id}/cancel`.
pub(crate) async fn cancel(world: &Arc<World>, incoming: &Incoming, id: &str) -> Result<Response, Refusal> {
    let (interaction, fault) = match find(world, incoming, Endpoint::CancelInteraction, id)? {
        Found::Response(response) => return Ok(response),
        Found::Interaction(interaction, fault) => (interaction, fault),
    };
    if !interaction.is_background {
        return Err(Refusal::precondition(format!(
            "Interaction '{id}' does not run in the background."
        )));
    }
    let agent = interaction.request.get("agent").and_then(Value::as_str);
    let known = agent.and_then(|agent| world.models.agent(agent));
    if known.is_some_and(|agent| !agent.cancellable) {
        return Err(Refusal::invalid("Cancelling is not supported for this agent."));
    }
    if !interaction.generation.cancel() {
        return Err(Refusal::precondition(format!(
            "Interaction '{id}' is not running."
        )));
    }
    spoilt_json(world, &interaction.after_post(), fault.as_ref()).await
}

/// `DELETE …/interactions/{id}`.
pub(crate) async fn delete(world: &Arc<World>, incoming: &Incoming, id: &str) -> Result<Response, Refusal> {
    match find(world, incoming, Endpoint::DeleteInteraction, id)? {
        Found::Response(response) => Ok(response),
        Found::Interaction(interaction, _) => {
            interaction.generation.cancel();
            world.interactions.remove(id);
            Ok(json_response(&json!({})))
        }
    }
}

enum Found {
    Response(Response),
    Interaction(Arc<Interaction>, Option<AnswerFault>),
}

fn find(world: &World, incoming: &Incoming, endpoint: Endpoint, id: &str) -> Result<Found, Refusal> {
    let interaction = world.interactions.get(id);
    let mut call = Call::empty(endpoint, incoming.header_names());
    call.interaction = id.to_owned();
    call.stream = incoming.parameter("stream") == Some("true");
    if let Some(interaction) = &interaction {
        let who = interaction
            .request
            .get("agent")
            .or_else(|| interaction.request.get("model"));
        call.model = who.and_then(Value::as_str).unwrap_or_default().to_owned();
        call.background = interaction.is_background;
    }
    world.log.note_call(incoming, &call);
    let missing = || Refusal::new(404, format!("Interaction '{id}' was not found."));
    let check = interaction.as_ref().map(drop).ok_or_else(missing);
    let fault = match decide(world, incoming, &call, check)? {
        Outcome::Done(response) => return Ok(Found::Response(response)),
        Outcome::Speak(speech) => speech.fault,
        Outcome::Plain => None,
    };
    Ok(Found::Interaction(interaction.ok_or_else(missing)?, fault))
}

/// How many events the client has already.
fn already_seen(incoming: &Incoming, interaction: &Interaction) -> Result<usize, Refusal> {
    let Some(last) = incoming
        .parameter("last_event_id")
        .filter(|last| !last.is_empty())
    else {
        return Ok(0);
    };
    let frames = &interaction.generation.frames;
    let place = frames.iter().position(|frame| frame.json["event_id"] == last);
    place
        .map(|place| place + 1)
        .ok_or_else(|| Refusal::invalid(format!("Event '{last}' is not known for 'last_event_id'.")))
}
