//! Shortens turns without a model.

use std::collections::HashMap;

use super::facts::extract;
use super::material::Material;
use super::render::write_turn;
use super::{FactClass, Tag, Turn, TurnKind, View};

/// Target size of masked tool output, in tokens.
const MASKED_TOKENS: u64 = 90;

/// A view and the tokens of the turn in it, including the frame.
pub(super) type ViewCost = (View, u64);

/// Tokens of a turn in this view, including its frame.
pub(super) fn price(material: &Material<'_>, tag: &Tag, turn: &Turn, view: &View) -> u64 {
    let mut frame = String::new();
    write_turn(&mut frame, tag, turn, view);
    material.counter.tokens(&frame)
}

/// The start and the end of old tool output.
pub(super) fn masked_view(material: &Material<'_>, tag: &Tag, turn: &Turn) -> ViewCost {
    cut_to(material, tag, turn, MASKED_TOKENS)
}

/// Cuts a turn to `target` tokens if possible, else as short as possible. Never longer than whole.
pub(super) fn cut_to(material: &Material<'_>, tag: &Tag, turn: &Turn, target: u64) -> ViewCost {
    let whole = material.whole(turn.number);
    if whole <= target {
        return (View::Whole, whole);
    }
    let facts = telling_facts(material, turn);
    let mut best = (View::Whole, whole);
    let mut room = target;
    // Costs are not spread evenly over a text, so the first guess may be too long.
    for _ in 0..6 {
        let view = cut_with(material, turn, &facts, room);
        let cost = price(material, tag, turn, &view);
        if cost < best.1 {
            best = (view, cost);
        }
        if cost <= target || room < 16 {
            break;
        }
        room = room.saturating_sub(cost - target + 4) * 9 / 10;
    }
    best
}

fn cut_with(material: &Material<'_>, turn: &Turn, facts: &[(&str, FactClass)], room: u64) -> View {
    let text = &turn.text;
    let for_facts = if room < SHORT { room / 2 } else { room / 3 };
    let for_text = room.saturating_sub(for_facts).saturating_sub(30);
    let whole = material.whole(turn.number).max(1);
    let bytes = usize::try_from(for_text * text.len() as u64 / whole).unwrap_or(0);
    let head = line_start_near(text, bytes * 6 / 10);
    let tail = (bytes - bytes * 6 / 10).min(text.len() - head);
    let tail = text.len() - text.ceil_char_boundary(text.len() - tail);
    let shown = [&text[..head], &text[text.len() - tail..]];
    let mut left = for_facts;
    let mut kept = Vec::new();
    for (fact, class) in facts {
        // Rules, decisions and finished items are never left out.
        let is_sentence = *class < FactClass::Identifier;
        if left < 6 && !is_sentence {
            break;
        }
        let cost = material.counter.tokens(fact) + 1;
        if (is_sentence || cost <= left) && !shown.iter().any(|part| part.contains(fact)) {
            left = left.saturating_sub(cost);
            kept.push((*fact).to_owned());
        }
    }
    View::Cut {
        head,
        tail,
        facts: kept,
    }
}

/// Below this many tokens, facts get half of them.
const SHORT: u64 = 300;

/// The end of the last whole line within `bytes`, unless that loses more than half.
fn line_start_near(text: &str, bytes: usize) -> usize {
    let end = text.floor_char_boundary(bytes.min(text.len()));
    match text[..end].rfind('\n') {
        Some(at) if at * 2 > end => at,
        _ => end,
    }
}

/// The facts of a turn, each once, the most important first; sentences before all others.
fn telling_facts<'a>(material: &Material<'_>, turn: &'a Turn) -> Vec<(&'a str, FactClass)> {
    let mut weights: HashMap<&str, i32> = HashMap::new();
    let mut facts = Vec::new();
    for found in extract(turn) {
        weights.entry(found.text).or_insert_with(|| {
            facts.push((found.text, found.class));
            material.ledger.weight_of(found.text, found.class)
        });
    }
    facts.sort_by_key(|(text, _)| -weights[text]);
    facts
}

/// For each tool output that repeats an earlier one: the number of the earlier turn.
pub(super) fn duplicates(turns: &[Turn]) -> HashMap<u64, u64> {
    let mut first: HashMap<&str, u64> = HashMap::new();
    let mut duplicates = HashMap::new();
    for turn in turns
        .iter()
        .filter(|turn| turn.kind == TurnKind::ToolOutput && turn.text.len() > 40)
    {
        let earlier = *first.entry(turn.text.as_str()).or_insert(turn.number);
        if earlier != turn.number {
            duplicates.insert(turn.number, earlier);
        }
    }
    duplicates
}
