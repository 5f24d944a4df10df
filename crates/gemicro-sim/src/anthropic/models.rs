//! `GET /v1/models` and `GET /v1/models/{model}`.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal, json_response, plain_outcome};

/// Creation date of the simulated models.
const CREATED: &str = "2026-11-15T00:00:00Z";
/// Default and maximum number of models per page.
const PAGE: usize = 20;
const MOST: usize = 1000;

pub(super) async fn list(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    let limit = match incoming.parameter("limit").map(str::parse::<usize>) {
        None => Ok(PAGE),
        Some(Ok(limit)) if (1..=MOST).contains(&limit) => Ok(limit),
        Some(_) => Err(SimulatedRefusal::invalid(
            "limit: Input should be a whole number from 1 to 1000",
        )),
    };
    if let Some(response) = by_rule(world, incoming, "", limit.clone().map(drop)).await? {
        return Ok(response);
    }
    let limit = limit?;
    let known: Vec<&str> = world.models.claude_ids().collect();
    let place = |name: &str| {
        let id = incoming.parameter(name)?;
        known.iter().position(|known| *known == id)
    };
    let from = place("after_id").map_or(0, |idx| idx + 1);
    let to = place("before_id").unwrap_or(known.len()).max(from);
    let page = &known[from..to.min(from + limit)];
    Ok(json_response(&json!({
        "data": page.iter().map(|id| show(id)).collect::<Vec<Value>>(),
        "has_more": from + page.len() < to,
        "first_id": page.first(),
        "last_id": page.last(),
    })))
}

pub(super) async fn get(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    let check = require_model(world, id);
    match by_rule(world, incoming, id, check).await? {
        Some(response) => Ok(response),
        None => Ok(json_response(&show(id))),
    }
}

/// Returns the API's error if the model does not exist.
pub(super) fn require_model(world: &ServerWorld, id: &str) -> Result<(), SimulatedRefusal> {
    match world.models.knows_claude(id) {
        true => Ok(()),
        false => Err(SimulatedRefusal::new(404, format!("model: {id}"))),
    }
}

async fn by_rule(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    model: &str,
    check: Result<(), SimulatedRefusal>,
) -> Result<Option<Response>, SimulatedRefusal> {
    let mut call = ModelCall::empty(ScenarioEndpoint::AnthropicModels, incoming.header_names());
    call.model = model.to_owned();
    plain_outcome(world, incoming, &call, check).await
}

fn show(id: &str) -> Value {
    json!({"type": "model", "id": id, "display_name": id, "created_at": CREATED})
}
