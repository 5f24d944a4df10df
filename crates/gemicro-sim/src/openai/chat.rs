//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::response::Response;

use super::request;
use super::response::{self, Heading};
use crate::answer::{Answer, Finish, answer};
use crate::play::{Encoding, Generation, Player, Reading};
use crate::server::{
    Incoming, Outcome, Refusal, Speech, World, decide, seconds_since_1970, spoilt_json, stream_response,
};

pub(super) async fn complete(world: &Arc<World>, incoming: &Incoming) -> Result<Response, Refusal> {
    let body = incoming.json()?;
    let call = request::call(&body, incoming.header_names());
    world.log.note_call(incoming.number, &call, incoming.key());
    let check = request::check(&body).and_then(|()| match world.models.knows(&call.model) {
        true => Ok(()),
        false => Err(Refusal::no_such_model(&call.model)),
    });
    let speech = match decide(world, incoming, &call, check)? {
        Outcome::Done(response) => return Ok(response),
        Outcome::Speak(speech) => *speech,
        Outcome::Plain => Speech::default(),
    };
    let answer = answer(&speech.reply, speech.fault.as_ref(), &call);
    if let Finish::PromptBlocked { reason } = &answer.finish {
        return Err(Refusal::blocked_prompt(reason));
    }
    let heading = Heading {
        id: format!("chatcmpl-sim{:06}", world.next_id()),
        model: call.model.clone(),
        created: seconds_since_1970(),
    };
    let frames = response::chunks(&answer, &heading, request::wants_usage(&body));
    let generation = Arc::new(Generation::new(frames, None));
    if call.stream {
        tokio::spawn(player(world, &generation, &answer).play());
        let reading = Reading {
            generation,
            skip: 0,
            encoding: Encoding::ChatEvents,
            fault: speech.fault,
            shutdown: world.shutdown.clone(),
        };
        return Ok(stream_response(reading).await);
    }
    // Pieces have no meaning here, but delays and gates do.
    player(world, &generation, &answer).play().await;
    if let Finish::Failed { message, .. } = &answer.finish {
        return Err(Refusal::new(500, message.clone()));
    }
    spoilt_json(world, &response::whole(&answer, &heading), speech.fault.as_ref()).await
}

fn player(world: &World, generation: &Arc<Generation>, answer: &Answer) -> Player {
    Player {
        generation: Arc::clone(generation),
        pace: answer.pace.clone(),
        gates: Arc::clone(&world.gates),
        silent_after: None,
        shutdown: world.shutdown.clone(),
    }
}
