//! What a request can cost at most, and how much output still fits.

use gemicro_core::models::ModelPrice;
use gemicro_event::{Charge, ModelName, UnpricedTokens, Usage};

use super::wire::ReportedUsage;

/// The bounds of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestBound {
    /// Tokens it reads at most.
    pub(super) input: u64,
    /// The same for money: what costs more than plain input counts as more.
    pub(super) paid_input: u64,
    /// Tokens that one answer writes at most.
    pub(super) output: u64,
    pub(super) n_answers: u64,
    /// Prices, where they are known.
    pub(super) price: Option<ModelPrice>,
    /// The model that is asked.
    pub(super) model: ModelName,
}

impl RequestBound {
    /// The worst case with this much output per answer.
    pub(super) fn worst_case(&self, output: u64) -> Charge {
        let output = output.saturating_mul(self.n_answers);
        let tokens = self.input.saturating_add(output);
        Charge {
            tokens,
            unpriced_models: self.unpriced_tokens(tokens),
            micro_usd: self
                .price
                .map_or(0, |price| price.worst_case(self.paid_input, output).micro_usd),
            turns: 1,
            ..Charge::ZERO
        }
    }

    /// The most output per answer that fits into what is left: all of it, or no less than `least`.
    pub(super) fn fit(&self, left: Charge, least: u64) -> Option<u64> {
        if fits(self.worst_case(self.output), left) {
            return Some(self.output);
        }
        let by_tokens = left.tokens.saturating_sub(self.input) / self.n_answers.max(1);
        let by_money = self
            .price
            .map_or(u64::MAX, |price| self.by_money(&price, left.micro_usd));
        let output = by_tokens.min(by_money).min(self.output);
        (output >= least && fits(self.worst_case(output), left)).then_some(output)
    }

    fn by_money(&self, price: &ModelPrice, left: u64) -> u64 {
        if left == u64::MAX || price.output == 0 {
            return u64::MAX;
        }
        let input = u128::from(self.paid_input) * u128::from(price.input.max(price.cached));
        let left = (u128::from(left) * 1_000_000).saturating_sub(input);
        let per_token = u128::from(price.output) * u128::from(self.n_answers.max(1));
        u64::try_from(left / per_token).unwrap_or(u64::MAX)
    }

    /// What a request that reported this is charged.
    pub(super) fn charge(&self, reported: &ReportedUsage) -> Charge {
        let used = &reported.usage;
        let input_tokens = used.input_tokens.saturating_add(used.tool_tokens);
        let paid = Usage {
            input_tokens: input_tokens.saturating_add(reported.surcharge),
            ..*used
        };
        let tokens = input_tokens.saturating_add(used.output_tokens);
        Charge {
            tokens,
            unpriced_models: self.unpriced_tokens(tokens),
            micro_usd: self.price.map_or(0, |price| price.cost(&paid)),
            turns: 1,
            ..Charge::ZERO
        }
    }

    /// The tokens, where the model has no known price.
    fn unpriced_tokens(&self, tokens: u64) -> UnpricedTokens {
        match self.price {
            Some(_) => UnpricedTokens::NONE,
            None => UnpricedTokens::of(self.model.as_str(), tokens),
        }
    }
}

/// Whether one amount is within another.
pub(super) fn fits(amount: Charge, left: Charge) -> bool {
    amount.beyond(left) == Charge::ZERO
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    proptest! {
        #[test]
        fn what_fits_is_within_what_is_left_and_one_more_is_not(
            input in 0_u64..200_000,
            output in 1_u64..200_000,
            n_answers in 1_u64..5,
            prices in (0_u64..20_000_000, 0_u64..80_000_000),
            left in (0_u64..400_000, 0_u64..3_000_000),
        ) {
            let price = ModelPrice { input: prices.0, output: prices.1, cached: prices.0 / 10 };
            let bound = RequestBound { input, paid_input: input * 2, output, n_answers, price: Some(price), model: ModelName::new("m") };
            let left = Charge { tokens: left.0, micro_usd: left.1, turns: 1, ..Charge::ZERO };
            match bound.fit(left, 1_024) {
                Some(fit) => {
                    prop_assert!(fits(bound.worst_case(fit), left) && fit <= output);
                    prop_assert!(fit == output || fit >= 1_024);
                    prop_assert!(fit == output || !fits(bound.worst_case(fit + 1), left));
                }
                None => prop_assert!(!fits(bound.worst_case(output.min(1_024)), left) || !fits(bound.worst_case(output), left)),
            }
        }
    }
}
