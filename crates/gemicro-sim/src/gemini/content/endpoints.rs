//! The generateContent endpoints.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::request;
use super::response::{self, ContentHeading};
use crate::answer::{Finish, GeneratedAnswer, answer};
use crate::call::ModelCall;
use crate::gemini::route::GeminiRoute;
use crate::play::{Encoding, Generation, GenerationReader, Player};
use crate::scenario::ScenarioEndpoint;
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, Speech, decide, json_response,
    plain_outcome, spoilt_json, stream_response,
};

pub(crate) async fn generate(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
    model: &str,
) -> Result<Response, SimulatedRefusal> {
    let (call, outcome) = begin(world, incoming, route, model)?;
    let speech = match outcome {
        ActionOutcome::Done(response) => return Ok(response),
        ActionOutcome::Speak(speech) => *speech,
        ActionOutcome::Plain => Speech::default(),
    };
    let (answer, heading) = speak(world, &speech, &call);
    let body = match &answer.finish {
        Finish::Failed { message, .. } => return Err(SimulatedRefusal::new(500, message.clone())),
        _ => response::whole(&answer, &heading),
    };
    // Chunks do not matter here, but delays and gates do.
    let generation = Arc::new(Generation::new(response::chunks(&answer, &heading), None));
    player(world, &generation, &answer).play().await;
    spoilt_json(world, &body, speech.fault.as_ref()).await
}

/// `POST …:streamGenerateContent`, with `alt=sse` or as an array.
pub(crate) async fn stream(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
    model: &str,
) -> Result<Response, SimulatedRefusal> {
    let (call, outcome) = begin(world, incoming, route, model)?;
    let speech = match outcome {
        ActionOutcome::Done(response) => return Ok(response),
        ActionOutcome::Speak(speech) => *speech,
        ActionOutcome::Plain => Speech::default(),
    };
    let (answer, heading) = speak(world, &speech, &call);
    let generation = Arc::new(Generation::new(response::chunks(&answer, &heading), None));
    tokio::spawn(player(world, &generation, &answer).play());
    let encoding = match incoming.parameter("alt") {
        Some("sse") => Encoding::ContentEvents,
        _ => Encoding::ContentArray,
    };
    let reading = GenerationReader {
        generation,
        skip: 0,
        encoding,
        fault: speech.fault,
        shutdown: world.shutdown.clone(),
    };
    Ok(stream_response(reading).await)
}

pub(crate) async fn count(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
    model: &str,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json()?;
    let counted = body
        .get("generateContentRequest")
        .or_else(|| body.get("generate_content_request"))
        .unwrap_or(&body);
    let known = world.models.model(model, &route.version).is_some();
    let check = if known {
        request::check(counted)
    } else {
        Err(SimulatedRefusal::model_not_found(model, &route.version))
    };
    if let Some(response) = plain_call(world, incoming, ScenarioEndpoint::CountTokens, model, check).await? {
        return Ok(response);
    }
    let n_tokens = request::input_tokens(counted);
    Ok(json_response(&json!({
        "totalTokens": n_tokens,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": n_tokens}],
    })))
}

/// Applies the rules to a call that does not generate. Returns their response, if any.
pub(crate) async fn plain_call(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    endpoint: ScenarioEndpoint,
    model: &str,
    check: Result<(), SimulatedRefusal>,
) -> Result<Option<Response>, SimulatedRefusal> {
    let mut call = ModelCall::empty(endpoint, incoming.header_names());
    call.model = model.to_owned();
    if let Ok(body) = incoming.json() {
        call.prompt = request::call(endpoint, model, &body, Vec::new()).prompt;
    }
    plain_outcome(world, incoming, &call, check).await
}

fn begin(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
    model: &str,
) -> Result<(ModelCall, ActionOutcome), SimulatedRefusal> {
    let body: Value = incoming.json()?;
    let call = request::call(route.endpoint(), model, &body, incoming.header_names());
    world.log.note_call(incoming, &call);
    let check = match world.models.model(model, &route.version) {
        Some(_) => request::check(&body),
        None => Err(SimulatedRefusal::model_not_found(model, &route.version)),
    };
    let outcome = decide(world, incoming, &call, check)?;
    Ok((call, outcome))
}

fn speak(world: &ServerWorld, speech: &Speech, call: &ModelCall) -> (GeneratedAnswer, ContentHeading) {
    let heading = ContentHeading {
        model: call.model.clone(),
        response_id: format!("sim-response-{}", world.next_id()),
    };
    (answer(&speech.reply, speech.fault.as_ref(), call), heading)
}

fn player(world: &ServerWorld, generation: &Arc<Generation>, answer: &GeneratedAnswer) -> Player {
    Player {
        generation: Arc::clone(generation),
        pace: answer.pace.clone(),
        gates: Arc::clone(&world.gates),
        silent_after: None,
        shutdown: world.shutdown.clone(),
    }
}
