//! Sends an answer that belongs to one connection: piece by piece, or whole.

use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;

use super::refusal::Refusal;
use super::respond::{spoilt_json, stream_response};
use super::world::World;
use crate::answer::{Answer, Finish};
use crate::play::{Encoding, Frame, Generation, Player, Reading};
use crate::scenario::AnswerFault;

/// An answer in one wire format.
pub(crate) struct Delivery<'a> {
    pub(crate) answer: &'a Answer,
    pub(crate) frames: Vec<Frame>,
    pub(crate) whole: Value,
    pub(crate) encoding: Encoding,
    pub(crate) fault: Option<AnswerFault>,
    /// Whether the client asked for the frames.
    pub(crate) stream: bool,
}

/// Sends it in time, with its faults.
pub(crate) async fn deliver(world: &World, delivery: Delivery<'_>) -> Result<Response, Refusal> {
    let generation = Arc::new(Generation::new(delivery.frames, None));
    let player = Player {
        generation: Arc::clone(&generation),
        pace: delivery.answer.pace.clone(),
        gates: Arc::clone(&world.gates),
        silent_after: None,
        shutdown: world.shutdown.clone(),
    };
    if delivery.stream {
        tokio::spawn(player.play());
        let reading = Reading {
            generation,
            skip: 0,
            encoding: delivery.encoding,
            fault: delivery.fault,
            shutdown: world.shutdown.clone(),
        };
        return Ok(stream_response(reading).await);
    }
    // Pieces have no meaning here, but delays and gates do.
    player.play().await;
    if let Finish::Failed { message, .. } = &delivery.answer.finish {
        return Err(Refusal::new(500, message.clone()));
    }
    spoilt_json(world, &delivery.whole, delivery.fault.as_ref()).await
}
