//! What happens to a call: the first rule that takes it decides.

use axum::response::Response;
use serde_json::json;

use super::incoming::Incoming;
use super::refusal::{self, Refusal};
use super::respond::{raw_response, spoilt_json};
use super::rules::Among;
use super::world::World;
use crate::call::Call;
use crate::scenario::{Action, AnswerFault, Otherwise, Reply};

/// What is left to do.
pub(crate) enum Outcome {
    /// Nothing: the scenario gave the whole response.
    Done(Response),
    /// The model speaks.
    Speak(Box<Speech>),
    /// No rule: the endpoint does what it does.
    Plain,
}

/// What the model says and how it is spoilt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speech {
    pub(crate) reply: Reply,
    pub(crate) fault: Option<AnswerFault>,
}

/// Decides on a call. `check` is what the service thinks of the request itself: a refused request uses up no
/// rule, but a recorded response may still answer it.
pub(crate) fn decide(
    world: &World,
    incoming: &Incoming,
    call: &Call,
    check: Result<(), Refusal>,
) -> Result<Outcome, Refusal> {
    let among = if check.is_ok() {
        Among::All
    } else {
        Among::Recorded
    };
    let Some((name, rule)) = world.rules.choose(&world.scenario, call, among) else {
        check?;
        return unmatched(world, call);
    };
    world.log.note_rule(incoming.number, &name);
    match &rule.action {
        Action::Answer { reply, fault } => Ok(Outcome::Speak(Box::new(Speech {
            reply: (**reply).clone(),
            fault: fault.clone(),
        }))),
        Action::Http(fault) => Err(Refusal::scripted(fault)),
        Action::Html(html) => Ok(Outcome::Done(refusal::page(html.status.into()))),
        Action::RateLimit(limit) => Err(Refusal::rate_limit(limit, &call.model)),
        Action::DailyQuota(quota) => Err(Refusal::daily_quota(quota, &call.model)),
        Action::Raw(raw) => Ok(Outcome::Done(raw_response(raw))),
    }
}

/// Lets the rules speak about a call that makes no model speak. Gives their response, if they have one.
pub(crate) async fn plain_outcome(
    world: &World,
    incoming: &Incoming,
    call: &Call,
    check: Result<(), Refusal>,
) -> Result<Option<Response>, Refusal> {
    world.log.note_call(incoming, call);
    match decide(world, incoming, call, check)? {
        Outcome::Done(response) => Ok(Some(response)),
        Outcome::Plain => Ok(None),
        Outcome::Speak(speech) => match (&speech.reply.json, &speech.fault) {
            (Some(json), fault) => Ok(Some(spoilt_json(world, json, fault.as_ref()).await?)),
            (None, None) => Ok(None),
            (None, fault @ Some(_)) => Ok(Some(spoilt_json(world, &json!({}), fault.as_ref()).await?)),
        },
    }
}

fn unmatched(world: &World, call: &Call) -> Result<Outcome, Refusal> {
    if !call.endpoint.generates() {
        return Ok(Outcome::Plain);
    }
    match world.scenario.otherwise {
        Otherwise::Answer => Ok(Outcome::Speak(Box::default())),
        Otherwise::Refuse => Err(Refusal::invalid(format!(
            "gemicro-sim: no rule of the scenario '{}' takes this request",
            world.scenario.name
        ))),
    }
}
