//! The way of every request: read, logged, routed, answered.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::response::Response;

use super::control;
use super::incoming::Incoming;
use super::refusal::Refusal;
use super::world::World;
use crate::api;
use crate::scenario::EnvelopeKind;

/// The service takes bodies up to 20 MB.
const BODY: usize = 20 << 20;

pub(crate) async fn dispatch(State(world): State<Arc<World>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY).await else {
        return Refusal::new(413, "Request payload size exceeds the limit: 20971520 bytes.")
            .response(EnvelopeKind::Rpc);
    };
    let mut incoming = Incoming::new(parts, body);
    if incoming.path.starts_with(control::PREFIX) {
        return control::answer(&world, &incoming)
            .unwrap_or_else(|refusal| refusal.response(EnvelopeKind::Rpc));
    }
    incoming.number = world.log.begin(&incoming);
    let (mut response, envelope) = match api::Route::of(&incoming) {
        Ok(route) => {
            let envelope = route.envelope();
            let answered = route.answer(&world, &incoming).await;
            (
                answered.unwrap_or_else(|refusal| refusal.response(envelope)),
                envelope,
            )
        }
        Err(refusal) => (refusal.response(EnvelopeKind::Rpc), EnvelopeKind::Rpc),
    };
    let id_header = match envelope {
        EnvelopeKind::Interactions | EnvelopeKind::Rpc => "x-goog-request-id",
        EnvelopeKind::OpenAi => "x-request-id",
    };
    if let Ok(id) = HeaderValue::from_str(&format!("sim-{}", incoming.number)) {
        response.headers_mut().entry(id_header).or_insert(id);
    }
    world.log.note_status(incoming.number, response.status().as_u16());
    response
}
