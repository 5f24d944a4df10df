//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::response::Response;

use super::request;
use super::response::{self, Heading};
use crate::answer::{Finish, answer};
use crate::play::Encoding;
use crate::server::{
    Delivery, Incoming, Outcome, Refusal, Speech, World, decide, deliver, seconds_since_1970,
};

pub(crate) async fn complete(world: &Arc<World>, incoming: &Incoming) -> Result<Response, Refusal> {
    let body = incoming.json()?;
    let call = request::call(&body, incoming.header_names());
    world.log.note_call(incoming, &call);
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
    let delivery = Delivery {
        frames: response::chunks(&answer, &heading, request::wants_usage(&body)),
        whole: response::whole(&answer, &heading),
        answer: &answer,
        encoding: Encoding::ChatEvents,
        fault: speech.fault,
        stream: call.stream,
    };
    deliver(world, delivery).await
}
