//! `GET /v1/models` and `GET /v1/models/{model}`.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal, json_response, plain_outcome};

/// Creation time of the simulated models, in seconds since 1970.
const CREATED: u64 = 1_763_164_800;

pub(super) async fn list(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    if let Some(response) = by_rule(world, incoming, "", Ok(())).await? {
        return Ok(response);
    }
    let models: Vec<Value> = world.models.ids().map(show).collect();
    Ok(json_response(&json!({"object": "list", "data": models})))
}

pub(super) async fn get(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    let check = match world.models.knows(id) {
        true => Ok(()),
        false => Err(SimulatedRefusal::no_such_model(id)),
    };
    match by_rule(world, incoming, id, check).await? {
        Some(response) => Ok(response),
        None => Ok(json_response(&show(id))),
    }
}

async fn by_rule(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    model: &str,
    check: Result<(), SimulatedRefusal>,
) -> Result<Option<Response>, SimulatedRefusal> {
    let mut call = ModelCall::empty(ScenarioEndpoint::OpenAiModels, incoming.header_names());
    call.model = model.to_owned();
    plain_outcome(world, incoming, &call, check).await
}

fn show(id: &str) -> Value {
    json!({"id": id, "object": "model", "created": CREATED, "owned_by": "gemicro-sim"})
}
