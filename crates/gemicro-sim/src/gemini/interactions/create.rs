//! `POST …/interactions`.

use std::sync::Arc;

use axum::response::Response;
use gemicro_event::Timestamp;
use serde_json::{Value, json};

use super::check::{self, InteractionContext};
use super::events::{self, InteractionIdentity};
use super::stored::{self, StoredInteraction};
use super::{input, steps};
use crate::answer::answer;
use crate::call::ModelCall;
use crate::gemini::route::GeminiRoute;
use crate::play::{Encoding, Generation, GenerationReader, Player};
use crate::scenario::AnswerFault;
use crate::server::{
    ActionOutcome, IncomingRequest, ServerWorld, SimulatedRefusal, Speech, decide, json_response,
    spoilt_json, stream_response,
};

pub(crate) async fn create(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
) -> Result<Response, SimulatedRefusal> {
    let body = incoming.json()?;
    let previous_id = body.get("previous_interaction_id").and_then(Value::as_str);
    let previous = previous_id.and_then(|id| world.interactions.get(id));
    let before = previous
        .as_ref()
        .map(|previous| world.interactions.before(previous))
        .unwrap_or_default();
    let history = before.tokens;
    let call = input::call(&body, incoming.header_names(), &before);
    world.log.note_call(incoming, &call);
    let setting = InteractionContext {
        models: &world.models,
        version: &route.version,
        previous: previous.as_deref(),
    };
    let speech = match decide(world, incoming, &call, check::check(&body, &setting))? {
        ActionOutcome::Done(response) => return Ok(response),
        ActionOutcome::Speak(speech) => *speech,
        ActionOutcome::Plain => Speech::default(),
    };
    let interaction = Arc::new(begin(world, body, &speech, &call, history));
    if interaction.is_stored {
        world.interactions.insert(Arc::clone(&interaction));
    }
    tokio::spawn(player(world, &interaction, speech.fault.as_ref()).play());
    if call.stream {
        return Ok(stream_response(GenerationReader {
            generation: Arc::clone(&interaction.generation),
            skip: 0,
            encoding: Encoding::InteractionEvents,
            fault: speech.fault,
            shutdown: world.shutdown.clone(),
        })
        .await);
    }
    if call.background {
        return Ok(json_response(&interaction.after_post()));
    }
    tokio::select! {
        () = world.shutdown.cancelled() => return Err(SimulatedRefusal::new(503, "the simulator stopped")),
        () = interaction.generation.wait_for_end() => {}
    }
    spoilt_json(world, &interaction.after_post(), speech.fault.as_ref()).await
}

fn begin(
    world: &ServerWorld,
    body: Value,
    speech: &Speech,
    call: &ModelCall,
    history: u64,
) -> StoredInteraction {
    let number = world.next_id();
    let created = Timestamp::now();
    let is_stored = body.get("store") != Some(&Value::Bool(false));
    let id = if is_stored {
        format!("v1_sim{number:06}")
    } else {
        String::new()
    };
    let answer = answer(&speech.reply, speech.fault.as_ref(), call);
    let input = input::steps(&body);
    let output = steps::steps(&answer, number);
    let kind = if body.get("agent").is_some() {
        "agent"
    } else {
        "model"
    };
    let created_text = json!(created).as_str().unwrap_or_default().to_owned();
    let identity = InteractionIdentity {
        id: &id,
        who: (kind, body[kind].as_str().unwrap_or_default()),
        created: &created_text,
    };
    let generation = Generation::new(
        events::frames(&answer, &output, &identity),
        Some(events::cancelled_event(&identity)),
    );
    StoredInteraction {
        previous_id: body
            .get("previous_interaction_id")
            .and_then(Value::as_str)
            .map(str::to_owned),
        context_tokens: stored::context_tokens(history, &input, &output),
        is_background: call.background,
        n_bytes: body.to_string().len(),
        id,
        request: body,
        input,
        output,
        answer,
        generation: Arc::new(generation),
        created,
        is_stored,
    }
}

fn player(world: &ServerWorld, interaction: &StoredInteraction, fault: Option<&AnswerFault>) -> Player {
    // A background run has no connection that could hang, so the run itself hangs.
    let silent_after = match fault {
        Some(AnswerFault::Hang(hang)) if interaction.is_background => Some(hang.after_chunks.unwrap_or(0)),
        _ => None,
    };
    Player {
        generation: Arc::clone(&interaction.generation),
        pace: interaction.answer.pace.clone(),
        gates: Arc::clone(&world.gates),
        silent_after,
        shutdown: world.shutdown.clone(),
    }
}
