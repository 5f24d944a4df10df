//! Makes the plan of a new epoch: which turns stay, what replaces the others, and which parts of the others are shown.
//!
//! The cheapest measures come first: duplicate tool output is dropped, old tool output masked, long turns cut; then
//! only the last turns stay, and `fill` chooses what is shown of the others. Pins, the last user message and open calls
//! always stay; a limit that is too small for them is an error.

use super::fill::fill_plan;
use super::material::Material;
use super::render::{render, write_head};
use super::segments::{SummarySupply, merged, refresh_segments, seal_segment};
use super::views::{ViewCost, cut_to, duplicates, masked_view};
use super::{
    Author, FactClass, HistoryError, HistoryWarning, Level, PinnedFact, PromptPlan, Segment, Tag, TurnKind,
    View,
};
use crate::tokens::FRAMING_TOKENS;

/// How old turns are represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    /// One summary for the turns sealed at once; many summaries are merged.
    Summarise,
    /// Summaries of ranges, longer for older turns.
    Hierarchical,
    /// No summaries and nothing sealed: only duplicates, masks and cuts.
    Views,
}

/// Whether the prompt of a plan will be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// Not known: the prompt is filled up.
    Alone,
    /// The next prompts continue it: leave space, so that the next compaction is not due at once.
    Continued,
}

/// Makes a plan for the whole log.
pub(super) fn compact(
    material: &Material<'_>,
    before: Option<&PromptPlan>,
    (strategy, growth): (Strategy, Growth),
    summaries: &mut SummarySupply<'_>,
) -> Result<PromptPlan, HistoryError> {
    let plan = empty_plan(material, before);
    if plan.level < Level::Heavy || strategy == Strategy::Views {
        let may_stay = material.total() <= material.config.summary_threshold || strategy == Strategy::Views;
        if may_stay && plan.segments.is_empty() {
            let shown = all_shown(material, plan.clone());
            let cost = material.counter.tokens(&render(material.log, &shown).text);
            if cost <= material.config.room() {
                return Ok(shown);
            }
            if strategy == Strategy::Views {
                return Err(HistoryError::TooSmall {
                    needed: cost + FRAMING_TOKENS,
                    limit: material.config.limit(),
                });
            }
        }
    }
    let plan = with_turns(material, plan)?;
    let plan = with_segments(material, plan, strategy, summaries);
    let plan = fill_plan(material, plan, target(material, growth))?;
    if plan.n_decisions_lost > 0 {
        let count = plan.n_decisions_lost;
        summaries.warnings.push(HistoryWarning::DecisionsLost { count });
    }
    Ok(plan)
}

/// Target length of the prompt. If the conversation would fit, the prompt is still shortened by at least a quarter.
fn target(material: &Material<'_>, growth: Growth) -> u64 {
    let room = material.config.room();
    let target = match growth {
        Growth::Alone => room,
        Growth::Continued => room * 13 / 20,
    };
    if material.total() > material.config.limit() {
        target
    } else {
        target.min(material.total() * 3 / 4)
    }
}

/// An empty plan of the next epoch.
fn empty_plan(material: &Material<'_>, before: Option<&PromptPlan>) -> PromptPlan {
    let epoch = before.map_or(1, |plan| plan.epoch + 1);
    PromptPlan {
        epoch,
        // Compaction always has a reason, such as a limit below the levels, so use at least `Window`.
        level: material.config.level(material.total()).max(Level::Window),
        started_at: material.log.len(),
        shown_to: material.log.len(),
        segments: before.map_or_else(Vec::new, |plan| plan.segments.clone()),
        ..PromptPlan::verbatim(tag_of(material, epoch))
    }
}

/// A tag that does not occur in the conversation.
pub(super) fn tag_of(material: &Material<'_>, epoch: u64) -> Tag {
    let texts = material.log.turns().iter().map(|turn| turn.text.as_str());
    Tag::unused_in(&format!("{epoch} {}", material.log.len()), texts)
}

/// Applies the cheap measures to all but the first and the last messages.
fn all_shown(material: &Material<'_>, mut plan: PromptPlan) -> PromptPlan {
    let config = material.config;
    let turns = material.log.turns();
    let recent_from = turns.len().saturating_sub(config.recent_message_count);
    let same = duplicates(turns);
    for (idx, turn) in turns.iter().enumerate() {
        let is_middle = idx >= config.first_message_count && idx < recent_from;
        let is_last_user = material.log.last_user() == Some(turn.number);
        let (view, _) = match same.get(&turn.number) {
            Some(&earlier) => (View::SameAs { turn: earlier }, 0),
            None if is_last_user => continue,
            None if is_middle && turn.kind == TurnKind::ToolOutput => masked_view(material, &plan.tag, turn),
            None if is_middle => cut_to(material, &plan.tag, turn, config.room() / 8),
            None => cut_to(material, &plan.tag, turn, config.room() / 4),
        };
        if view != View::Whole {
            plan.views.insert(turn.number, view);
        }
    }
    plan
}

/// Chooses the turns to show: first the required ones, then as many of the last ones as fit.
fn with_turns(material: &Material<'_>, mut plan: PromptPlan) -> Result<PromptPlan, HistoryError> {
    let config = material.config;
    let mut head = String::new();
    write_head(&mut head, &plan);
    let pins = newest_within(material, FactClass::Rule, u64::MAX, |turn| material.is_pin(turn));
    let last_user = material.log.last_user();
    let open: Vec<(u64, ViewCost)> = material
        .log
        .open_call_turns()
        .into_iter()
        .filter_map(|number| {
            Some((
                number,
                cut_to(material, &plan.tag, material.log.turn(number)?, OPEN_CALL),
            ))
        })
        .collect();
    let needed = material.counter.tokens(&head)
        + section_cost(material, &pins)
        + last_user.map_or(0, |number| material.whole(number))
        + open
            .iter()
            .filter(|(number, _)| Some(*number) != last_user)
            .map(|(_, (_, cost))| cost)
            .sum::<u64>();
    let Some(free) = config.room().checked_sub(needed) else {
        return Err(HistoryError::TooSmall {
            needed: needed + FRAMING_TOKENS,
            limit: config.limit(),
        });
    };
    plan.pinned = pins;
    let mut left = free * 2 / 5;
    for class in [FactClass::Rule, FactClass::Decision, FactClass::Done] {
        let recognised = newest_within(material, class, left, |turn| !material.is_pin(turn));
        left = left.saturating_sub(section_cost(material, &recognised));
        plan.pinned.extend(recognised);
    }
    let free = free * 3 / 5 + left;
    for (number, (view, _)) in open {
        if view != View::Whole {
            plan.views.insert(number, view);
        }
        plan.kept.push(number);
    }
    plan.kept.extend(last_user);
    let spent = show_recent(material, &mut plan, free / 5);
    if plan.level == Level::Window {
        show_first(material, &mut plan, (free * 2 / 5).saturating_sub(spent));
    }
    plan.kept.retain(|&number| number < plan.from);
    plan.kept.sort_unstable();
    plan.kept.dedup();
    Ok(plan)
}

/// Maximum tokens for the text of a turn with an open call; the call itself is in the title.
const OPEN_CALL: u64 = 160;

/// Minimum size of a shortened turn, in tokens; a shorter one is useless.
const LEAST_TURN: u64 = 60;

/// Shows the last messages, the newest first, each with up to half of the remaining space. Returns the tokens used.
fn show_recent(material: &Material<'_>, plan: &mut PromptPlan, room: u64) -> u64 {
    let last = material.log.len();
    let n_recent = material.config.recent_message_count.max(1) as u64;
    let first = last.saturating_sub(n_recent - 1).max(plan.sealed_to() + 1).max(1);
    plan.from = last + 1;
    let mut left = room;
    for turn in material.log.range(first, last).iter().rev() {
        if !plan.kept.contains(&turn.number) {
            let share = if turn.number == last {
                left * 2 / 3
            } else {
                left / 2
            };
            let (view, cost) = cut_to(material, &plan.tag, turn, share);
            if cost > share || (view != View::Whole && cost < LEAST_TURN) {
                break;
            }
            left -= cost;
            if view != View::Whole {
                plan.views.insert(turn.number, view);
            }
        }
        plan.from = turn.number;
    }
    room - left
}

/// Shows the first messages, which often say what the conversation is about.
fn show_first(material: &Material<'_>, plan: &mut PromptPlan, room: u64) {
    let mut left = room;
    for turn in material
        .log
        .turns()
        .iter()
        .take(material.config.first_message_count)
    {
        if turn.number >= plan.from || plan.kept.contains(&turn.number) {
            continue;
        }
        let (view, cost) = cut_to(material, &plan.tag, turn, left / 2);
        if cost > left / 2 {
            break;
        }
        left -= cost;
        if view != View::Whole {
            plan.views.insert(turn.number, view);
        }
        plan.kept.push(turn.number);
    }
}

fn with_segments(
    material: &Material<'_>,
    mut plan: PromptPlan,
    strategy: Strategy,
    summaries: &mut SummarySupply<'_>,
) -> PromptPlan {
    let last = plan.from.saturating_sub(1);
    if strategy == Strategy::Hierarchical {
        plan.segments = growing_ranges(last)
            .into_iter()
            .map(|(first, last)| seal_segment(material, first, last, summaries))
            .collect();
        return plan;
    }
    let mut segments: Vec<Segment> = refresh_segments(&plan.segments, summaries.cache);
    let first = plan.sealed_to() + 1;
    if first <= last {
        segments.push(seal_segment(material, first, last, summaries));
    }
    plan.segments = merged(material, segments, summaries);
    plan
}

/// Ranges that are longer the older they are, and that stay the same while turns are added: the binary digits of the
/// turn count, in units of sixteen turns.
fn growing_ranges(last: u64) -> Vec<(u64, u64)> {
    const STEP: u64 = 16;
    let mut ranges = Vec::new();
    let mut first = 1;
    for bit in (0..64).rev() {
        let length = ((last / STEP) & (1 << bit)).saturating_mul(STEP);
        if length > 0 {
            ranges.push((first, first + length - 1));
            first += length;
        }
    }
    if first <= last {
        ranges.push((first, last));
    }
    ranges
}

fn section_cost(material: &Material<'_>, facts: &[PinnedFact]) -> u64 {
    const FRAME: u64 = 24;
    let sum: u64 = facts
        .iter()
        .map(|fact| material.counter.tokens(&fact.text) + 1)
        .sum();
    if facts.is_empty() { 0 } else { sum + FRAME }
}

/// The newest facts of a class that fit, in the order they were said.
fn newest_within(
    material: &Material<'_>,
    class: FactClass,
    room: u64,
    is_wanted: impl Fn(u64) -> bool,
) -> Vec<PinnedFact> {
    const FRAME: u64 = 24;
    let mut left = room.saturating_sub(FRAME);
    let mut kept: Vec<PinnedFact> = Vec::new();
    let facts: Vec<_> = material.ledger.of_class(class).collect();
    for fact in facts.into_iter().rev().filter(|fact| is_wanted(fact.turn)) {
        let cost = material.counter.tokens(&fact.text) + 1;
        if cost <= left {
            left -= cost;
            kept.push(PinnedFact {
                class,
                kind: fact.kind,
                text: fact.text.clone(),
                turn: fact.turn,
            });
        }
    }
    kept.reverse();
    kept
}

/// Whether a turn of this author may be shortened on arrival.
pub(super) fn may_shorten(author: Author) -> bool {
    match author {
        Author::Assistant | Author::Tool => true,
        Author::User | Author::System => false,
    }
}
