//! `POST /v1/responses`.

use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;

use super::items::{self, ResponseHeading};
use super::{check, events, request};
use crate::answer::{Finish, answer};
use crate::play::Encoding;
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, Speech, WireDelivery, decide, deliver,
    seconds_since_1970,
};

pub(crate) async fn create(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json()?;
    let previous = body.get("previous_response_id").and_then(Value::as_str);
    let earlier = previous.and_then(|id| world.responses.get(id));
    let before: &[Value] = earlier.as_ref().map_or(&[], |items| items.as_slice());
    let call = request::call(&body, before, incoming.header_names());
    world.log.note_call(incoming, &call);
    let check = check::check(&body, before).and_then(|()| match (previous, &earlier) {
        (Some(id), None) => Err(SimulatedRefusal::bad_field(
            "previous_response_not_found",
            "previous_response_id",
            format!("Previous response with id '{id}' not found."),
        )),
        _ if !world.models.knows(&call.model) => Err(SimulatedRefusal::no_such_model(&call.model)),
        _ => Ok(()),
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
    let heading = ResponseHeading {
        number: world.next_id(),
        created_at: seconds_since_1970(),
        request: &body,
    };
    let output = items::items(&answer, &heading);
    if body.get("store") != Some(&Value::Bool(false)) {
        let conversation = request::items(&body, before).into_iter().chain(output.clone());
        world.responses.insert(heading.id(), conversation.collect());
    }
    let delivery = WireDelivery {
        frames: events::events(&answer, &output, &heading),
        whole: items::whole(&answer, &output, &heading),
        answer: &answer,
        encoding: Encoding::TypedEvents,
        fault: speech.fault,
        stream: call.stream,
    };
    deliver(world, delivery).await
}
