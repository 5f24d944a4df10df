//! Control endpoints for tests under `/_sim/`: log, gates, reset. They need no key and are not logged.

use axum::http::Method;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::incoming_request::{IncomingRequest, percent_decode};
use super::refusal::SimulatedRefusal;
use super::respond::json_response;
use super::world::ServerWorld;

pub(crate) const PREFIX: &str = "/_sim/";

/// Answers a control request.
pub(crate) fn answer(world: &ServerWorld, incoming: &IncomingRequest) -> Result<Response, SimulatedRefusal> {
    let path: Vec<&str> = incoming.path[PREFIX.len()..].split('/').collect();
    match (&incoming.method, path.as_slice()) {
        (&Method::GET, ["log"]) => Ok(json_response(&log(world))),
        (&Method::POST, ["gates", name, "open"]) => {
            world.gates.open(&percent_decode(name));
            Ok(json_response(&json!({})))
        }
        (&Method::GET, ["gates", name]) => Ok(json_response(
            &json!({"waiting": world.gates.n_waiting(&percent_decode(name))}),
        )),
        (&Method::POST, ["reset"]) => {
            world.reset();
            Ok(json_response(&json!({})))
        }
        _ => Err(SimulatedRefusal::new(
            404,
            "gemicro-sim: expected GET /_sim/log, GET /_sim/gates/{name}, POST /_sim/gates/{name}/open or POST /_sim/reset",
        )),
    }
}

fn log(world: &ServerWorld) -> Value {
    let entries: Vec<Value> = world
        .log
        .entries()
        .iter()
        .map(|entry| serde_json::to_value(entry).unwrap_or_default())
        .collect();
    let rules: Map<String, Value> = world
        .rules
        .counts(&world.scenario)
        .into_iter()
        .map(|(name, n_taken)| (name, json!(n_taken)))
        .collect();
    json!({
        "scenario": world.scenario.name,
        "entries": entries,
        "dropped": world.log.n_dropped(),
        "rules": rules,
    })
}
