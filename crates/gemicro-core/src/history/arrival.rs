//! Decides how a new turn is shown in the current epoch, or that the epoch must end.

use super::compact::may_shorten;
use super::material::Material;
use super::views::{ViewCost, cut_to};
use super::{PromptPlan, Turn, View};

/// Minimum number of turns that an epoch should last.
pub(super) const MIN_EPOCH: u64 = 8;

/// Minimum size of a shortened turn, in tokens; a shorter one is useless.
const LEAST: u64 = 160;

/// How to show a new turn after `used` tokens; `None` if it does not fit, so that the epoch must end.
///
/// Turns of the user are shown whole. Others may take a quarter of the prompt, and less in a young epoch: a burst of
/// long tool outputs must not end an epoch right after it started.
pub(super) fn arrival(
    material: &Material<'_>,
    plan: &PromptPlan,
    used: u64,
    turn: &Turn,
) -> Option<ViewCost> {
    let room = material.config.room();
    let left = room.checked_sub(used)?;
    let whole = material.whole(turn.number);
    if !may_shorten(turn.author) || !material.config.enable_compression {
        return (whole <= left).then_some((View::Whole, whole));
    }
    let age = turn.number.saturating_sub(plan.started_at + 1);
    // The user's next message is shown whole and should not end a young epoch either.
    let spare = left.saturating_sub(room / 6);
    let is_small = material.total() < material.config.none_below && whole <= left;
    let allowed = match MIN_EPOCH.saturating_sub(age) {
        _ if is_small => left,
        0 => left.min(room / 4),
        n_to_come => (spare * 35 / 100)
            .max(spare / n_to_come)
            .max(LEAST.min(left))
            .min(room / 4),
    };
    if whole <= allowed {
        return Some((View::Whole, whole));
    }
    let is_forced = age < MIN_EPOCH || whole > room / 4;
    if !is_forced || allowed < LEAST.min(room / 16) {
        return None;
    }
    let (view, cost) = cut_to(material, &plan.tag, turn, allowed);
    (cost <= left).then_some((view, cost))
}
