//! Makes sure that a plan fits, and fills the room that is left with facts.

use std::collections::BTreeSet;

use super::compact::Strategy;
use super::facts::Finder;
use super::material::Material;
use super::recall::recalled;
use super::render::render;
use super::{FactClass, HistoryError, PinnedFact, PromptPlan};
use crate::tokens::FRAMING_TOKENS;

/// Writes out the facts that the prompt would lack, the most telling first, up to the cap.
///
/// Room to grow is left, so that the next compaction is not due at once.
pub(super) fn filled(
    material: &Material<'_>,
    plan: PromptPlan,
    strategy: Strategy,
) -> Result<PromptPlan, HistoryError> {
    let config = material.config;
    let (mut plan, mut text, mut used) = fitted(material, plan)?;
    if strategy == Strategy::Retrieval {
        let room = config.room().saturating_sub(used) / 4;
        plan.recalled = recalled(material, &mut plan.views, &plan.tag, plan.from, room);
        (text, used) = written(material, &plan);
    }
    let free = config.room().saturating_sub(used);
    let to_grow = (config.room() * 3 / 10).min(free / 3);
    let mut left = config.ledger_cap().min(free - to_grow);
    let finder = Finder::new(&text);
    let mut kinds = BTreeSet::new();
    let mut n_refused = 0;
    for fact in material.ledger.missing_from(&finder) {
        let title = if kinds.contains(&fact.kind) { 0 } else { HEADING };
        let cost = material.counter.tokens(&fact.text) + 2 + title;
        if cost > left {
            n_refused += 1;
            if left < 6 || n_refused > MAX_REFUSED {
                break;
            }
            continue;
        }
        left -= cost;
        kinds.insert(fact.kind);
        plan.pinned.push(PinnedFact {
            class: fact.class,
            kind: fact.kind,
            text: fact.text.clone(),
            turn: fact.turn,
        });
    }
    Ok(plan)
}

/// What the first fact of a kind costs beside itself: its heading, and at worst a frame.
const HEADING: u64 = 30;

/// After so many facts that were too long, the room is as good as used up.
const MAX_REFUSED: usize = 500;

/// A plan that fits, with its text and tokens. Parts were priced one by one; should the whole be longer, the
/// least needed goes first: summaries, recent turns, decisions.
fn fitted(material: &Material<'_>, mut plan: PromptPlan) -> Result<(PromptPlan, String, u64), HistoryError> {
    let room = material.config.room();
    let open = material.log.open_call_turns();
    loop {
        let (text, used) = written(material, &plan);
        if used <= room {
            return Ok((plan, text, used));
        }
        let is_wordy = plan.segments.iter().any(|segment| !segment.text.is_empty());
        let oldest_decision = plan
            .pinned
            .iter()
            .position(|fact| fact.class == FactClass::Decision);
        if is_wordy {
            for segment in &mut plan.segments {
                segment.text.clear();
            }
        } else if plan.from <= material.log.len() && material.log.last_user() != Some(plan.from) {
            if open.contains(&plan.from) {
                plan.kept.push(plan.from);
            } else {
                plan.views.remove(&plan.from);
            }
            plan.from += 1;
        } else if plan.from < material.log.len() {
            plan.kept.push(plan.from);
            plan.from += 1;
        } else if let Some(idx) = oldest_decision {
            plan.pinned.remove(idx);
            plan.n_decisions_lost += 1;
        } else {
            return Err(HistoryError::TooSmall {
                needed: used + FRAMING_TOKENS,
                limit: material.config.limit(),
            });
        }
    }
}

fn written(material: &Material<'_>, plan: &PromptPlan) -> (String, u64) {
    let text = render(material.log, plan).text;
    let used = material.counter.tokens(&text);
    (text, used)
}
