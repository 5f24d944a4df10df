//! Handles every request: reads, logs, routes and answers it.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method};
use axum::response::Response;

use super::control;
use super::incoming_request::IncomingRequest;
use super::refusal::{SimulatedRefusal, request_id};
use super::world::ServerWorld;
use crate::api;
use crate::scenario::EnvelopeKind;

pub(crate) async fn dispatch(State(world): State<Arc<ServerWorld>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut incoming = IncomingRequest::new(parts);
    let route = api::ApiRoute::of(&incoming);
    let envelope = match &route {
        Ok(route) => route.envelope(),
        Err(_) => api::ApiRoute::envelope_of_unknown(&incoming),
    };
    let limit = body_limit(envelope);
    let Ok(body) = to_bytes(body, limit).await else {
        let message = format!("Request payload size exceeds the limit: {limit} bytes.");
        return SimulatedRefusal::new(413, message).response(envelope, 0);
    };
    incoming.body = body;
    if incoming.path.starts_with(control::PREFIX) {
        return control::answer(&world, &incoming)
            .unwrap_or_else(|refusal| refusal.response(EnvelopeKind::Rpc, 0));
    }
    incoming.number = world.log.begin(&incoming);
    let answered = match route {
        Ok(route) => route.answer(&world, &incoming).await,
        Err(_) if is_knock(&incoming) => Ok(Response::default()),
        Err(refusal) => Err(refusal),
    };
    let mut response = answered.unwrap_or_else(|refusal| refusal.response(envelope, incoming.number));
    let (name, id) = request_id(envelope, incoming.number);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().entry(name).or_insert(id);
    }
    world.log.note_status(incoming.number, response.status().as_u16());
    response
}

/// Maximum size of a body: 20 MB, for Anthropic 32 MB, as in the services.
fn body_limit(envelope: EnvelopeKind) -> usize {
    match envelope {
        EnvelopeKind::Interactions | EnvelopeKind::Rpc | EnvelopeKind::OpenAi => 20 << 20,
        EnvelopeKind::Anthropic => 32 << 20,
    }
}

/// Returns true for `HEAD /`, with which Claude Code checks that the server is up.
fn is_knock(incoming: &IncomingRequest) -> bool {
    incoming.method == Method::HEAD && incoming.path == "/"
}
