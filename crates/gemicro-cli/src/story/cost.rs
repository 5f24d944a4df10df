//! What a run used, against what it might.

use gemicro_core::budget::{LimitKind, Limits};
use gemicro_core::models::ModelTable;

use super::Story;
use crate::screen::numbers;

/// `1,247 tokens of 50,000 · $0.01 · 23.4s`.
pub(super) fn cost(story: &Story) -> String {
    let against = |used: String, limit: Option<u64>, kind: LimitKind| match limit {
        Some(limit) => format!("{used} of {}", kind.amount(limit)),
        None => used,
    };
    let tokens = format!("{} tokens", numbers::thousands(story.spent.tokens));
    let parts = [
        against(tokens, story.limits.tokens, LimitKind::Tokens),
        against(money(story), story.limits.micro_usd, LimitKind::Money),
        against(
            numbers::duration(story.worked_ms),
            story.limits.wall_ms,
            LimitKind::WallTime,
        ),
    ];
    let budget = if story.limits == Limits::NONE {
        " (no budget set)"
    } else {
        ""
    };
    format!("{}{budget}", parts.join(" · "))
}

/// The money spent, or that its price is not known.
fn money(story: &Story) -> String {
    let table = ModelTable::embedded();
    match &story.model {
        Some(model) if story.spent.tokens > 0 && table.price(model).is_none() => "price unknown".to_owned(),
        Some(_) | None => numbers::money(story.spent.micro_usd),
    }
}
