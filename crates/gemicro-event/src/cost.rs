//! The unknown part of a cost: tokens without a known price, and amounts that are only an upper bound.
//!
//! A [`Charge`](crate::Charge) has both, so a sum of charges still shows how exact its money is.
//! [`Charge::in_words`](crate::Charge::in_words) writes it for people; nothing else does.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Charge;

/// Maximum number of models listed in one amount; the rest share the last entry.
const MAX_MODELS: usize = 4;

/// Maximum number of names kept by this process; far more than it should ever see.
const MAX_NAMES: usize = 4096;

/// The name for all models beyond the limit.
const OTHER_MODELS: &str = "other models";

/// The name of a model, interned so that amounts stay `Copy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName(&'static str);

impl ModelName {
    /// The name of a model.
    #[must_use]
    pub fn new(name: &str) -> Self {
        static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name) {
            return Self(known);
        }
        if names.len() >= MAX_NAMES {
            return Self(OTHER_MODELS);
        }
        let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
        names.insert(kept);
        Self(kept)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        self.0
    }
}

impl Serialize for ModelName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for ModelName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::new(&name))
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Tokens of one model whose price is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UnpricedModel {
    /// Name of the model, as the provider knows it.
    #[schemars(with = "String")]
    pub model: ModelName,
    /// Tokens used without a known price.
    pub tokens: u64,
}

/// Tokens without a known price, by model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<UnpricedModel>", into = "Vec<UnpricedModel>")]
pub struct UnpricedTokens {
    /// Filled from the front, sorted by name.
    models: [Option<UnpricedModel>; MAX_MODELS],
}

impl UnpricedTokens {
    /// No tokens without a price.
    pub const NONE: Self = Self {
        models: [None; MAX_MODELS],
    };

    /// Tokens of one model.
    #[must_use]
    pub fn of(model: &str, tokens: u64) -> Self {
        let mut unpriced = Self::NONE;
        unpriced.add(ModelName::new(model), tokens);
        unpriced
    }

    /// Whether everything has a price.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.models[0].is_none()
    }

    /// The models with their tokens.
    pub fn iter(&self) -> impl Iterator<Item = UnpricedModel> {
        self.models.iter().flatten().copied()
    }

    /// The tokens of all models.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.iter().fold(0, |sum, model| sum.saturating_add(model.tokens))
    }

    /// Adds both, model by model.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        other.iter().for_each(|it| self.add(it.model, it.tokens));
        self
    }

    /// Subtracts `other`, model by model; never below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let mut left = Self::NONE;
        for it in self.iter() {
            let taken = other.iter().find(|other| other.model == it.model);
            left.add(
                it.model,
                it.tokens.saturating_sub(taken.map_or(0, |taken| taken.tokens)),
            );
        }
        left
    }

    fn add(&mut self, model: ModelName, tokens: u64) {
        if tokens == 0 {
            return;
        }
        let place = self
            .models
            .iter()
            .position(|slot| slot.is_none_or(|it| it.model == model));
        let (idx, model) = place.map_or((MAX_MODELS - 1, ModelName(OTHER_MODELS)), |idx| (idx, model));
        let before = self.models[idx].map_or(0, |it| it.tokens);
        self.models[idx] = Some(UnpricedModel {
            model,
            tokens: before.saturating_add(tokens),
        });
        self.models
            .sort_unstable_by_key(|slot| (slot.is_none(), slot.map(|it| it.model)));
    }
}

impl From<Vec<UnpricedModel>> for UnpricedTokens {
    fn from(models: Vec<UnpricedModel>) -> Self {
        let mut unpriced = Self::NONE;
        models.iter().for_each(|it| unpriced.add(it.model, it.tokens));
        unpriced
    }
}

impl From<UnpricedTokens> for Vec<UnpricedModel> {
    fn from(unpriced: UnpricedTokens) -> Self {
        unpriced.iter().collect()
    }
}

/// The part of an amount that is an upper bound, because the actual usage of an interrupted call is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Uncertain {
    /// Tokens that may have been charged.
    #[serde(default)]
    pub tokens: u64,
    /// Millionths of a US dollar.
    #[serde(default)]
    pub micro_usd: u64,
}

impl Uncertain {
    /// The zero amount: everything is known.
    pub const NONE: Self = Self {
        tokens: 0,
        micro_usd: 0,
    };

    /// Whether everything is certain.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Adds both, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// Subtracts `other`; never below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }
}

impl Charge {
    /// `1,247 tokens, $0.01`, and the unknown part; `None` for a zero charge.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let words: Vec<String> = self
            .tokens_in_words()
            .into_iter()
            .chain(self.money_in_words())
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// `1,247 tokens`, or `up to 1,247 tokens` if a call was interrupted; `None` for 0.
    #[must_use]
    pub fn tokens_in_words(&self) -> Option<String> {
        let bound = if self.uncertain.tokens > 0 { "up to " } else { "" };
        (self.tokens > 0).then(|| format!("{bound}{}", tokens(self.tokens)))
    }

    /// `$0.01`, and how exact that is; `None` if there is no cost.
    ///
    /// `up to $0.01` if a call was interrupted, `at least $0.01, 39,597 tokens of MODEL have no known price`
    /// if prices are missing.
    #[must_use]
    pub fn money_in_words(&self) -> Option<String> {
        let unpriced = self.unpriced_in_words();
        let money = money(self.micro_usd);
        match (self.micro_usd, self.uncertain.micro_usd, unpriced) {
            (0, _, unpriced) => unpriced,
            (_, 0, None) => Some(money),
            (_, 0, Some(unpriced)) => Some(format!("at least {money}, {unpriced}")),
            (_, _, None) => Some(format!("up to {money}")),
            (_, _, Some(unpriced)) => Some(format!("up to {money} for calls with a known price, {unpriced}")),
        }
    }

    /// The same, shorter, for a narrow column: `1,247 tokens, at least $0.01`.
    #[must_use]
    pub fn in_short(&self) -> Option<String> {
        let words: Vec<String> = self
            .tokens_in_words()
            .into_iter()
            .chain(self.money_in_short())
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// `$0.01`, `at least $0.01`, `up to $0.01`, `price unknown` or `price partly unknown`; `None` if there is no cost.
    #[must_use]
    pub fn money_in_short(&self) -> Option<String> {
        let money = money(self.micro_usd);
        match (
            self.micro_usd,
            self.uncertain.micro_usd,
            self.unpriced_models.is_empty(),
        ) {
            (0, _, true) => None,
            (0, _, false) => Some("price unknown".to_owned()),
            (_, 0, true) => Some(money),
            (_, 0, false) => Some(format!("at least {money}")),
            (_, _, true) => Some(format!("up to {money}")),
            (_, _, false) => Some("price partly unknown".to_owned()),
        }
    }

    /// `39,597 tokens of MODEL have no known price`, or `no known price for MODEL` if that is all of it; `None` if
    /// everything has a price.
    fn unpriced_in_words(&self) -> Option<String> {
        let unpriced = self.unpriced_models;
        let all_of_it = self.micro_usd == 0 && unpriced.total() >= self.tokens;
        let models: Vec<String> = unpriced
            .iter()
            .map(|it| match all_of_it {
                true => it.model.to_string(),
                false => format!("{} of {}", tokens(it.tokens), it.model),
            })
            .collect();
        let models = (!models.is_empty()).then(|| models.join(" and "))?;
        Some(match (all_of_it, unpriced.total()) {
            (true, _) => format!("no known price for {models}"),
            (false, 1) => format!("{models} has no known price"),
            (false, _) => format!("{models} have no known price"),
        })
    }
}

/// `$0.0123`: exact, with at least two decimals.
#[must_use]
pub fn money(micro_usd: u64) -> String {
    let decimals = format!("{:06}", micro_usd % 1_000_000);
    let kept = decimals.trim_end_matches('0');
    format!("${}.{kept:0<2}", micro_usd / 1_000_000)
}

/// `1 token`, `1,247 tokens`.
#[must_use]
pub fn tokens(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let noun = if n == 1 { "token" } else { "tokens" };
    format!("{text} {noun}")
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
