//! What a run used, against what it might.

use gemicro_core::budget::{LimitKind, Limits};
use gemicro_core::models::ModelTable;
use gemicro_event::{Charge, UnpricedTokens};

use super::Story;
use crate::screen::numbers;

/// `1,247 tokens of 50,000 · $0.01 · 23.4s`.
pub(super) fn cost(story: &Story) -> String {
    let against = |used: String, limit: Option<u64>, kind: LimitKind| match limit {
        Some(limit) => format!("{used} of {}", kind.amount(limit)),
        None => used,
    };
    let spent = match story.has_died {
        // A call that was under way may have been charged.
        true => total_charge(story).plus(story.reserved().as_upper_bound()),
        false => total_charge(story),
    };
    let tokens = spent.tokens_in_words().unwrap_or_else(|| "0 tokens".to_owned());
    let is_open = !story.status.is_terminal();
    // A call that is still running is not counted yet: no money so far is not a price of nothing.
    let is_priced = !is_open || story.limits.micro_usd.is_some();
    let money = spent
        .money_in_words()
        .or_else(|| is_priced.then(|| gemicro_event::money(0)));
    let time = numbers::duration(story.worked_ms);
    let parts: Vec<String> = [
        Some(against(tokens, story.limits.tokens, LimitKind::Tokens)),
        money.map(|money| against(money, story.limits.micro_usd, LimitKind::Money)),
        Some(against(time, story.limits.wall_ms, LimitKind::WallTime)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let so_far = if is_open { " so far" } else { "" };
    let day = story.day.and_then(|day| day.explain(&story.limits));
    let budget = match day {
        Some(day) => format!(" ({day})"),
        None if story.limits == Limits::NONE => " (no budget set)".to_owned(),
        None => String::new(),
    };
    format!("{}{so_far}{budget}", parts.join(" · "))
}

/// What was spent; runs of older versions did not record which tokens have no price.
fn total_charge(story: &Story) -> Charge {
    let recorded = story.spent;
    match &story.model {
        Some(model)
            if recorded.micro_usd == 0
                && recorded.unpriced_models.is_empty()
                && ModelTable::embedded().price(model).is_none() =>
        {
            Charge {
                unpriced_models: UnpricedTokens::of(model, recorded.tokens),
                ..recorded
            }
        }
        Some(_) | None => recorded,
    }
}
