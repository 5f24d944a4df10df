//! What is not known about a cost: tokens without a known price, and amounts that are only an upper bound.
//!
//! A [`Charge`](crate::Charge) carries both, so a sum of charges still says how far its money can be trusted, and
//! [`Charge::in_words`](crate::Charge::in_words) is the one place that writes it for people.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Charge;

/// Models told apart in one amount; those beyond share the last place.
const MAX_MODELS: usize = 4;

/// Names kept by this process; it never sees nearly as many models.
const MAX_NAMES: usize = 4096;

/// The name of all models for which there is no place.
const OTHER_MODELS: &str = "other models";

/// The name of a model, kept once per process so that amounts stay plain values.
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
    /// Filled from the front, in the order of the names.
    models: [Option<UnpricedModel>; MAX_MODELS],
}

impl UnpricedTokens {
    /// A cost without tokens and without money.
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

    /// The models and their tokens.
    pub fn iter(&self) -> impl Iterator<Item = UnpricedModel> {
        self.models.iter().flatten().copied()
    }

    /// The tokens of all models.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.iter().fold(0, |sum, model| sum.saturating_add(model.tokens))
    }

    /// The sum of both, model by model.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        other.iter().for_each(|it| self.add(it.model, it.tokens));
        self
    }

    /// What is left without `other`; never below zero.
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

/// The part of an amount that is an upper bound: it is unknown what a call that was cut off used.
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

    /// The sum of both, which stops at the largest number.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// What is left without `other`; never below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }
}

impl Charge {
    /// `1,247 tokens, $0.01`, and what is not known about it; `None` for nothing.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let words: Vec<String> = self
            .tokens_in_words()
            .into_iter()
            .chain(self.money_in_words())
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// `1,247 tokens`, or `up to 1,247 tokens` where a call was cut off; `None` for none.
    #[must_use]
    pub fn tokens_in_words(&self) -> Option<String> {
        let bound = if self.uncertain.tokens > 0 { "up to " } else { "" };
        (self.tokens > 0).then(|| format!("{bound}{}", tokens(self.tokens)))
    }

    /// `$0.01`, or how far that is from what it costs; `None` where nothing cost anything.
    ///
    /// `up to $0.01` after a call was cut off, `at least $0.01, 39,597 tokens of MODEL have no known price`
    /// where prices are missing.
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

    /// The same for a narrow column: `1,247 tokens, at least $0.01`.
    #[must_use]
    pub fn in_short(&self) -> Option<String> {
        let words: Vec<String> = self
            .tokens_in_words()
            .into_iter()
            .chain(self.money_in_short())
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// `$0.01`, `at least $0.01`, `up to $0.01` or `price unknown`; `None` where nothing cost anything.
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

    /// `39,597 tokens of MODEL have no known price`, `no known price for MODEL` where that is all of it; `None` where
    /// everything has one.
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

/// `$0.0123`; always enough decimals to be true, at least two.
#[must_use]
pub fn money(micro_usd: u64) -> String {
    let decimals = format!("{:06}", micro_usd % 1_000_000);
    let kept = decimals.trim_end_matches('0');
    format!("${}.{kept:0<2}", micro_usd / 1_000_000)
}

/// `1 token`, `1,247 tokens`.
fn tokens(n: u64) -> String {
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
