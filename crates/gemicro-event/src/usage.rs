//! Token usage of calls, and its cost.

use serde::{Deserialize, Serialize};

use crate::{Uncertain, UnpricedTokens};

/// Tokens used by one call, as reported by its backend or estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Usage {
    /// Tokens of the prompt, including cached ones.
    pub input_tokens: u64,
    /// Tokens written, including thoughts.
    pub output_tokens: u64,
    /// Part of the input that came from a provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Part of the output that was thinking.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thought_tokens: u64,
    /// Tokens that the provider's own tools (a web search) read; not in `input_tokens`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tool_tokens: u64,
    /// Whether these are estimates, because the backend reported no numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// Input and output together.
    #[must_use]
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Adds both; an estimate if one of them is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            thought_tokens: self.thought_tokens.saturating_add(other.thought_tokens),
            tool_tokens: self.tool_tokens.saturating_add(other.tool_tokens),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// An amount that a budget counts. Money is in millionths of a US dollar, so sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Charge {
    /// Tokens, input and output together.
    #[serde(default)]
    pub tokens: u64,
    /// Millionths of a US dollar.
    #[serde(default)]
    pub micro_usd: u64,
    /// Number of turns that models and agents took.
    #[serde(default)]
    pub turns: u64,
    /// Tokens without a known price: their cost is not in `micro_usd`.
    #[serde(default, skip_serializing_if = "UnpricedTokens::is_empty")]
    #[schemars(with = "Vec<crate::UnpricedModel>")]
    pub unpriced_models: UnpricedTokens,
    /// The part of `tokens` and `micro_usd` that is an upper bound, for interrupted calls.
    #[serde(default, skip_serializing_if = "Uncertain::is_none")]
    pub uncertain: Uncertain,
}

impl Charge {
    /// The zero amount, the start of a sum.
    pub const ZERO: Self = Self {
        tokens: 0,
        micro_usd: 0,
        turns: 0,
        unpriced_models: UnpricedTokens::NONE,
        uncertain: Uncertain::NONE,
    };

    /// Adds both, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
            turns: self.turns.saturating_add(other.turns),
            unpriced_models: self.unpriced_models.plus(other.unpriced_models),
            uncertain: self.uncertain.plus(other.uncertain),
        }
    }

    /// Subtracts `other`; never below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
            turns: self.turns.saturating_sub(other.turns),
            unpriced_models: self.unpriced_models.minus(other.unpriced_models),
            uncertain: self.uncertain.minus(other.uncertain),
        }
    }

    /// Only the amounts that a budget counts, without the unknown part.
    #[must_use]
    pub fn amounts(self) -> Self {
        Self {
            unpriced_models: UnpricedTokens::NONE,
            uncertain: Uncertain::NONE,
            ..self
        }
    }

    /// The amounts beyond a limit.
    #[must_use]
    pub fn beyond(self, limit: Self) -> Self {
        self.amounts().minus(limit.amounts())
    }

    /// The same amount as an upper bound, for an interrupted call.
    #[must_use]
    pub fn as_upper_bound(self) -> Self {
        Self {
            uncertain: Uncertain {
                tokens: self.tokens,
                micro_usd: self.micro_usd,
            },
            ..self
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
