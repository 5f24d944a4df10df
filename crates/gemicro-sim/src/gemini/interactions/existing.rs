//! The endpoints for existing interactions: get, stream again, cancel, delete.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::stored::StoredInteraction;
use crate::call::ModelCall;
use crate::play::{Encoding, GenerationReader};
use crate::scenario::{AnswerFault, ScenarioEndpoint};
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, decide, json_response, spoilt_json,
    stream_response,
};

/// `GET …/interactions/{id}`, also `?stream=true[&last_event_id=…]`.
pub(crate) async fn fetch(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    let found = match find(world, incoming, ScenarioEndpoint::GetInteraction, id)? {
        ExistingTarget::Response(response) => return Ok(response),
        ExistingTarget::Interaction(interaction, fault) => (interaction, fault),
    };
    let (interaction, fault) = found;
    if incoming.parameter("stream") == Some("true") {
        return Ok(stream_response(GenerationReader {
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

pub(crate) async fn cancel(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    let (interaction, fault) = match find(world, incoming, ScenarioEndpoint::CancelInteraction, id)? {
        ExistingTarget::Response(response) => return Ok(response),
        ExistingTarget::Interaction(interaction, fault) => (interaction, fault),
    };
    if !interaction.is_background {
        return Err(SimulatedRefusal::precondition(format!(
            "Interaction '{id}' does not run in the background."
        )));
    }
    let agent = interaction.request.get("agent").and_then(Value::as_str);
    let known = agent.and_then(|agent| world.models.agent(agent));
    if known.is_some_and(|agent| !agent.cancellable) {
        return Err(SimulatedRefusal::invalid(
            "Cancelling is not supported for this agent.",
        ));
    }
    if !interaction.generation.cancel() {
        return Err(SimulatedRefusal::precondition(format!(
            "Interaction '{id}' is not running."
        )));
    }
    spoilt_json(world, &interaction.after_post(), fault.as_ref()).await
}

pub(crate) async fn delete(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    match find(world, incoming, ScenarioEndpoint::DeleteInteraction, id)? {
        ExistingTarget::Response(response) => Ok(response),
        ExistingTarget::Interaction(interaction, _) => {
            interaction.generation.cancel();
            world.interactions.remove(id);
            Ok(json_response(&json!({})))
        }
    }
}

enum ExistingTarget {
    Response(Response),
    Interaction(Arc<StoredInteraction>, Option<AnswerFault>),
}

fn find(
    world: &ServerWorld,
    incoming: &IncomingRequest,
    endpoint: ScenarioEndpoint,
    id: &str,
) -> Result<ExistingTarget, SimulatedRefusal> {
    let interaction = world.interactions.get(id);
    let mut call = ModelCall::empty(endpoint, incoming.header_names());
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
    let missing = || SimulatedRefusal::new(404, format!("Interaction '{id}' was not found."));
    let check = interaction.as_ref().map(drop).ok_or_else(missing);
    let fault = match decide(world, incoming, &call, check)? {
        ActionOutcome::Done(response) => return Ok(ExistingTarget::Response(response)),
        ActionOutcome::Speak(speech) => speech.fault,
        ActionOutcome::Plain => None,
    };
    Ok(ExistingTarget::Interaction(
        interaction.ok_or_else(missing)?,
        fault,
    ))
}

/// Returns how many events the client already has.
fn already_seen(
    incoming: &IncomingRequest,
    interaction: &StoredInteraction,
) -> Result<usize, SimulatedRefusal> {
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
        .ok_or_else(|| SimulatedRefusal::invalid(format!("Event '{last}' is not known for 'last_event_id'.")))
}
