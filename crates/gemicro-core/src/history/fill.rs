//! Fills a plan: after the recognised sentences come statements, facts, recalled statements, and more turns.
//!
//! Every part gets a share of the remaining space, and passes the rest to the next. A plan that will be continued
//! leaves space to grow; a single prompt is filled up to its limit.

use std::collections::{BTreeSet, HashSet};

use super::facts::Finder;
use super::material::Material;
use super::recall::{LABEL, recall};
use super::render::render;
use super::statements::{Ranked, rank_statements};
use super::views::cut_to;
use super::{FactClass, HistoryError, PinnedFact, PromptPlan, ShownStatement, View};
use crate::tokens::FRAMING_TOKENS;

/// Fills a plan up to `target` tokens.
pub(super) fn fill_plan(
    material: &Material<'_>,
    plan: PromptPlan,
    target: u64,
) -> Result<PromptPlan, HistoryError> {
    let (mut plan, mut text, mut used) = fit_plan(material, plan)?;
    let ranked = rank_statements(material.index, material.log, plan.from);
    let mut said = ChosenStatements::default();
    let left = target.saturating_sub(used);
    said.take(material, &plan, &text, &ranked, left * 3 / 5);
    plan.said = said.in_order();
    (text, used) = render_plan(material, &plan);
    pin_facts(material, &mut plan, &text, target.saturating_sub(used));
    (text, used) = render_plan(material, &plan);
    if let Some(message) = material.log.last_user() {
        let room = target.saturating_sub(used).min(target / 6);
        plan.recalled = recall(material, &plan, &text, message, room)
            .into_iter()
            .collect();
        (text, used) = render_plan(material, &plan);
    }
    said.take(material, &plan, &text, &ranked, target.saturating_sub(used));
    plan.said = said.in_order();
    (_, used) = render_plan(material, &plan);
    let mut more = more_turns(material, &mut plan, target.saturating_sub(used));
    // The parts were counted separately; if the whole is longer, remove what was added last.
    while render_plan(material, &plan).1 > target.max(used) {
        if let Some(number) = more.pop() {
            plan.kept.retain(|kept| *kept != number);
            plan.views.remove(&number);
        } else if said.taken.pop().is_some() {
            plan.said = said.in_order();
        } else {
            break;
        }
    }
    let text = render(material.log, &plan).text;
    let finder = Finder::new(&text);
    let recognised = [FactClass::Rule, FactClass::Decision].map(|class| material.ledger.of_class(class));
    let is_lost = |text: &str| !finder.contains(text);
    plan.n_decisions_lost = recognised
        .into_iter()
        .flatten()
        .filter(|fact| is_lost(&fact.text))
        .count();
    Ok(plan)
}

/// The chosen statements, the most valuable first.
#[derive(Default)]
struct ChosenStatements {
    taken: Vec<ShownStatement>,
    turns: HashSet<u64>,
}

impl ChosenStatements {
    /// Adds statements that the prompt does not contain yet, within `room` tokens.
    fn take(
        &mut self,
        material: &Material<'_>,
        plan: &PromptPlan,
        text: &str,
        ranked: &[Ranked<'_>],
        room: u64,
    ) {
        const FRAMES: u64 = 40;
        let Some(mut left) = room.checked_sub(FRAMES) else {
            return;
        };
        let finder = Finder::new(text);
        for statement in ranked.iter().map(|ranked| ranked.statement) {
            if left < LABEL {
                break;
            }
            let label = if self.turns.contains(&statement.turn) {
                1
            } else {
                LABEL
            };
            let cost = statement.tokens + label;
            let words = statement.text(material.log);
            if cost > left
                || plan.shows_whole(statement.turn)
                || is_held(plan, &finder, statement.turn, words)
            {
                continue;
            }
            left -= cost;
            self.turns.insert(statement.turn);
            self.taken.push(statement.to_shown());
        }
    }

    fn in_order(&self) -> Vec<ShownStatement> {
        let mut statements = self.taken.clone();
        statements.sort_unstable();
        statements
    }
}

/// Whether the prompt contains a statement, or a pinned fact that is all of it but a few leading words.
fn is_held(plan: &PromptPlan, finder: &Finder<'_>, turn: u64, words: &str) -> bool {
    const LEAD: usize = 24;
    let is_pinned = |fact: &&PinnedFact| {
        fact.turn == turn && fact.class < FactClass::Identifier && words.len() <= fact.text.len() + LEAD
    };
    finder.contains(words)
        || plan
            .pinned
            .iter()
            .filter(is_pinned)
            .any(|fact| words.contains(&fact.text))
}

/// Adds facts that the prompt lacks, the most important first.
fn pin_facts(material: &Material<'_>, plan: &mut PromptPlan, text: &str, room: u64) {
    let mut left = material.config.ledger_cap().min(room);
    let mut kinds = BTreeSet::new();
    let mut n_refused = 0;
    for fact in material.ledger.missing_from(&Finder::new(text)) {
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
}

/// Extra tokens for the first fact of a kind: its heading, and at worst a frame.
const HEADING: u64 = 30;

/// After this many facts that were too long, the space counts as used up.
const MAX_REFUSED: usize = 500;

/// Adds turns before the last ones, the newest first, while they fit; returns them.
fn more_turns(material: &Material<'_>, plan: &mut PromptPlan, room: u64) -> Vec<u64> {
    const LEAST: u64 = 60;
    let mut left = room;
    let mut more = Vec::new();
    for turn in material.log.range(1, plan.from.saturating_sub(1)).iter().rev() {
        if left < LEAST {
            break;
        }
        if plan.kept.contains(&turn.number) {
            continue;
        }
        let (view, cost) = cut_to(material, &plan.tag, turn, left.min(material.config.room() / 8));
        if cost > left {
            continue;
        }
        left -= cost;
        if view != View::Whole {
            plan.views.insert(turn.number, view);
        }
        plan.kept.push(turn.number);
        more.push(turn.number);
    }
    plan.kept.sort_unstable();
    more
}

/// Shrinks a plan until it fits; returns it with its text and tokens. The parts were counted separately; if the whole
/// is longer, the least needed goes first: summaries, recent turns, recognised sentences.
fn fit_plan(
    material: &Material<'_>,
    mut plan: PromptPlan,
) -> Result<(PromptPlan, String, u64), HistoryError> {
    let room = material.config.room();
    let open = material.log.open_call_turns();
    loop {
        let (text, used) = render_plan(material, &plan);
        if used <= room {
            return Ok((plan, text, used));
        }
        let is_wordy = plan.segments.iter().any(|segment| !segment.text.is_empty());
        let oldest = plan.pinned.iter().rposition(|fact| !material.is_pin(fact.turn));
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
        } else if let Some(idx) = oldest {
            plan.pinned.remove(idx);
        } else {
            return Err(HistoryError::TooSmall {
                needed: used + FRAMING_TOKENS,
                limit: material.config.limit(),
            });
        }
    }
}

fn render_plan(material: &Material<'_>, plan: &PromptPlan) -> (String, u64) {
    let text = render(material.log, plan).text;
    let used = material.counter.tokens(&text);
    (text, used)
}
