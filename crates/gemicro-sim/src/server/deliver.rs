//! Sends an answer over one connection, complete or in chunks.

use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;

use super::refusal::SimulatedRefusal;
use super::respond::{spoilt_json, stream_response};
use super::world::ServerWorld;
use crate::answer::{Finish, GeneratedAnswer};
use crate::play::{Encoding, Generation, GenerationFrame, GenerationReader, Player};
use crate::scenario::AnswerFault;

/// An answer in one wire format.
pub(crate) struct WireDelivery<'a> {
    pub(crate) answer: &'a GeneratedAnswer,
    pub(crate) frames: Vec<GenerationFrame>,
    pub(crate) whole: Value,
    pub(crate) encoding: Encoding,
    pub(crate) fault: Option<AnswerFault>,
    /// Whether the client asked for streaming.
    pub(crate) stream: bool,
}

/// Sends the answer with its timing and faults.
pub(crate) async fn deliver(
    world: &ServerWorld,
    delivery: WireDelivery<'_>,
) -> Result<Response, SimulatedRefusal> {
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
        let reading = GenerationReader {
            generation,
            skip: 0,
            encoding: delivery.encoding,
            fault: delivery.fault,
            shutdown: world.shutdown.clone(),
        };
        return Ok(stream_response(reading).await);
    }
    // Chunks do not matter here, but delays and gates do.
    player.play().await;
    if let Finish::Failed { message, .. } = &delivery.answer.finish {
        return Err(SimulatedRefusal::new(500, message.clone()));
    }
    spoilt_json(world, &delivery.whole, delivery.fault.as_ref()).await
}
