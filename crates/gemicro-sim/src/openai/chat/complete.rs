//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::response::Response;

use super::request;
use super::response::{self, ChatHeading};
use crate::answer::{Finish, answer};
use crate::play::Encoding;
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, Speech, WireDelivery, decide, deliver,
    seconds_since_1970,
};

pub(crate) async fn complete(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json()?;
    let call = request::call(&body, incoming.header_names());
    world.log.note_call(incoming, &call);
    let check = request::check(&body).and_then(|()| match world.models.knows(&call.model) {
        true => Ok(()),
        false => Err(SimulatedRefusal::no_such_model(&call.model)),
    });
    let speech = match decide(world, incoming, &call, check)? {
        ActionOutcome::Done(response) => return Ok(response),
        ActionOutcome::Speak(speech) => *speech,
        ActionOutcome::Plain => Speech::default(),
    };
    let answer = answer(&speech.reply, speech.fault.as_ref(), &call);
    if let Finish::PromptBlocked { reason } = &answer.finish {
        return Err(SimulatedRefusal::blocked_prompt(reason));
    }
    let heading = ChatHeading {
        id: format!("chatcmpl-sim{:06}", world.next_id()),
        model: call.model.clone(),
        created: seconds_since_1970(),
    };
    let delivery = WireDelivery {
        frames: response::chunks(&answer, &heading, request::wants_usage(&body)),
        whole: response::whole(&answer, &heading),
        answer: &answer,
        encoding: Encoding::ChatEvents,
        fault: speech.fault,
        stream: call.stream,
    };
    deliver(world, delivery).await
}
