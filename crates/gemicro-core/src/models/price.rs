//! What a call costs.

use gemicro_event::{Charge, Usage};
use serde::{Deserialize, Serialize};

/// The prices of one model, in millionths of a dollar per million tokens, so that they are whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelPrice {
    /// Input.
    pub input: u64,
    /// Output, thoughts included.
    pub output: u64,
    /// Input that the provider's cache served.
    pub cached: u64,
}

impl ModelPrice {
    /// What this usage costs in millionths of a dollar, rounded up.
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

    /// The most that one call with this much input can cost: no cache, all the output it may write.
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
        }
    }

    /// What this usage costs as a charge of one turn.
    #[must_use]
    pub fn charge(&self, usage: &Usage) -> Charge {
        Charge {
            tokens: usage.total_tokens(),
            micro_usd: self.cost(usage),
            turns: 1,
        }
    }
}
