//! Converts recorded exchanges into a scenario.

use std::num::NonZeroU64;

use super::tape::Exchange;
use crate::scenario::{Condition, DefaultReply, Glob, RuleAction, Scenario, ScenarioRule};

/// Creates one rule per exchange, each used once, in the order of the recording: a retried request gets its second
/// answer the second time.
pub(super) fn scenario(name: &str, exchanges: &[Exchange]) -> Scenario {
    Scenario {
        name: name.to_owned(),
        description: format!("{} recorded exchanges", exchanges.len()),
        otherwise: DefaultReply::Refuse,
        models: Vec::new(),
        rules: exchanges
            .iter()
            .enumerate()
            .map(|(idx, exchange)| rule(idx + 1, exchange))
            .collect(),
    }
}

fn rule(number: usize, exchange: &Exchange) -> ScenarioRule {
    let call = &exchange.call;
    let glob = |text: &str| Glob::try_from(text.to_owned()).ok();
    let generates = call.endpoint.generates();
    ScenarioRule {
        name: Some(format!("exchange {number}")),
        when: Condition {
            endpoint: vec![call.endpoint],
            model: glob(&call.model),
            prompt_is: generates.then(|| call.prompt.clone()),
            interaction: glob(&call.interaction),
            stream: Some(call.stream),
            ..Condition::default()
        },
        call: None,
        every: None,
        times: NonZeroU64::new(1),
        action: RuleAction::Raw(exchange.response.clone()),
    }
}
