//! Decides what happens to a call: the first matching rule applies.

use axum::response::Response;
use serde_json::json;

use super::incoming_request::IncomingRequest;
use super::refusal::{self, SimulatedRefusal};
use super::respond::{raw_response, spoilt_json};
use super::rules::RuleChoice;
use super::world::ServerWorld;
use crate::call::ModelCall;
use crate::scenario::{AnswerFault, DefaultReply, RuleAction, ScriptedReply};

/// What is left to do for a call.
pub(crate) enum ActionOutcome {
    /// Nothing: the scenario provided the complete response.
    Done(Response),
    Speak(Box<Speech>),
    /// No rule applies: the endpoint acts as usual.
    Plain,
}

/// The model's answer and its fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speech {
    pub(crate) reply: ScriptedReply,
    pub(crate) fault: Option<AnswerFault>,
}

/// Decides on a call. `check` is the service's check of the request: a rejected request uses up no rule, but a recorded
/// response may still answer it.
pub(crate) fn decide(
    world: &ServerWorld,
    incoming: &IncomingRequest,
    call: &ModelCall,
    check: Result<(), SimulatedRefusal>,
) -> Result<ActionOutcome, SimulatedRefusal> {
    let among = if check.is_ok() {
        RuleChoice::All
    } else {
        RuleChoice::Recorded
    };
    let Some((name, rule)) = world.rules.choose(&world.scenario, call, among) else {
        check?;
        return no_rule_matched(world, call);
    };
    world.log.note_rule(incoming.number, &name);
    match &rule.action {
        RuleAction::Answer { reply, fault } => Ok(ActionOutcome::Speak(Box::new(Speech {
            reply: (**reply).clone(),
            fault: fault.clone(),
        }))),
        RuleAction::Http(fault) => Err(SimulatedRefusal::from_script(fault)),
        RuleAction::Html(html) => Ok(ActionOutcome::Done(refusal::page(html.status.into()))),
        RuleAction::RateLimit(limit) => Err(SimulatedRefusal::rate_limit(limit, &call.model)),
        RuleAction::DailyQuota(quota) => Err(SimulatedRefusal::daily_quota(quota, &call.model)),
        RuleAction::Raw(raw) => Ok(ActionOutcome::Done(raw_response(raw))),
    }
}

/// Applies the rules to a call that does not generate. Returns their response, if any.
pub(crate) async fn plain_outcome(
    world: &ServerWorld,
    incoming: &IncomingRequest,
    call: &ModelCall,
    check: Result<(), SimulatedRefusal>,
) -> Result<Option<Response>, SimulatedRefusal> {
    world.log.note_call(incoming, call);
    match decide(world, incoming, call, check)? {
        ActionOutcome::Done(response) => Ok(Some(response)),
        ActionOutcome::Plain => Ok(None),
        ActionOutcome::Speak(speech) => match (&speech.reply.json, &speech.fault) {
            (Some(json), fault) => Ok(Some(spoilt_json(world, json, fault.as_ref()).await?)),
            (None, None) => Ok(None),
            (None, fault @ Some(_)) => Ok(Some(spoilt_json(world, &json!({}), fault.as_ref()).await?)),
        },
    }
}

fn no_rule_matched(world: &ServerWorld, call: &ModelCall) -> Result<ActionOutcome, SimulatedRefusal> {
    if !call.endpoint.generates() {
        return Ok(ActionOutcome::Plain);
    }
    match world.scenario.otherwise {
        DefaultReply::Answer => Ok(ActionOutcome::Speak(Box::default())),
        DefaultReply::Refuse => Err(SimulatedRefusal::invalid(format!(
            "gemicro-sim: no rule of the scenario '{}' matches this request",
            world.scenario.name
        ))),
    }
}
