//! Computes the cost of model calls.

use gemicro_event::{Charge, UnpricedTokens, Usage};
use serde::{Deserialize, Serialize};

use super::{ModelTable, plain_id};
use crate::llm::AGENTS_OWN_MODEL;

/// The prices of one model, in millionths of a dollar per million tokens, so that they are whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelPrice {
    /// Price of a million input tokens.
    pub input: u64,
    /// Price of a million output tokens, thoughts included.
    pub output: u64,
    /// Price of a million input tokens served from the provider's cache.
    pub cached: u64,
}

impl ModelPrice {
    /// Cost of this usage in millionths of a dollar, rounded up.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> u64 {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let parts = [
            (usage.input_tokens - cached, self.input),
            (cached, self.cached),
            (usage.output_tokens, self.output),
        ];
        let sum = parts
            .iter()
            .map(|&(tokens, price)| u128::from(tokens) * u128::from(price))
            .sum::<u128>();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// Maximum cost of one call with this much input: no cache, and the whole output limit used.
    #[must_use]
    pub fn worst_case(&self, input_tokens: u64, max_output: u64) -> Charge {
        let dearest = Self {
            input: self.input.max(self.cached),
            ..*self
        };
        let usage = Usage {
            input_tokens,
            output_tokens: max_output,
            ..Usage::default()
        };
        Charge {
            tokens: usage.total_tokens(),
            micro_usd: dearest.cost(&usage),
            turns: 1,
            ..Charge::ZERO
        }
    }

    /// The charge for this usage as one turn.
    #[must_use]
    pub fn charge(&self, usage: &Usage) -> Charge {
        Charge {
            tokens: usage.total_tokens(),
            micro_usd: self.cost(usage),
            turns: 1,
            ..Charge::ZERO
        }
    }
}

impl ModelTable {
    /// The charge for a call with this usage; if the model's price is unknown, its tokens are marked as unpriced.
    #[must_use]
    pub fn charge(&self, model: &str, usage: &Usage) -> Charge {
        match self.price(model) {
            Some(price) => price.charge(usage),
            None => Charge {
                tokens: usage.total_tokens(),
                turns: 1,
                unpriced_models: UnpricedTokens::of(plain_id(model), usage.total_tokens()),
                ..Charge::ZERO
            },
        }
    }
}

/// Explains why a budget in dollars cannot be enforced for a model, and what to do.
#[must_use]
pub(crate) fn no_price(model: &str) -> String {
    if model == AGENTS_OWN_MODEL {
        return "the agent chooses its model itself, so a budget in dollars cannot be enforced; give it in tokens, \
                such as 2M, or name a model with a known price (docs/costs.md lists them)"
            .to_owned();
    }
    let table = ModelTable::embedded();
    let family = |name: &str| {
        plain_id(name)
            .split(['-', '.', ':'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let priced: Vec<&str> = table
        .models()
        .filter(|other| family(other) == family(model) && table.price(other).is_some())
        .collect();
    let instead = match priced.as_slice() {
        [] => String::new(),
        models => format!(", or use a model with a known price: {}", models.join(", ")),
    };
    format!(
        "no price is known for model {model}, so a budget in dollars cannot be enforced; give it in tokens, such as \
         50k{instead}"
    )
}
