//! What happens to a call: the first rule that takes it decides.

use axum::response::Response;

use super::incoming::Incoming;
use super::refusal::{self, Refusal};
use super::respond::raw_response;
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
