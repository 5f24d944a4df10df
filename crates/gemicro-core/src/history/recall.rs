//! Finds old turns that a message may be about, by the rare words they have in common (BM25).

use std::collections::{BTreeMap, HashMap};

use super::material::Material;
use super::views::cut_to;
use super::{Tag, View};

/// No recalled turn gets more than this.
const MAX_TURN: u64 = 400;

/// Turns before `from` that have most to do with the last user message, in order, within `room`.
pub(super) fn recalled(
    material: &Material<'_>,
    views: &mut BTreeMap<u64, View>,
    tag: &Tag,
    from: u64,
    room: u64,
) -> Vec<u64> {
    let Some(message) = material
        .log
        .last_user()
        .and_then(|number| material.log.turn(number))
    else {
        return Vec::new();
    };
    let mut left = room;
    let mut numbers = Vec::new();
    for (number, _) in scores(material, &message.text, from) {
        let Some(turn) = material.log.turn(number) else {
            continue;
        };
        if number == message.number {
            continue;
        }
        let (view, cost) = cut_to(material, tag, turn, MAX_TURN.min(left));
        if cost > left || cost > MAX_TURN {
            break;
        }
        left -= cost;
        if view != View::Whole {
            views.insert(number, view);
        }
        numbers.push(number);
    }
    numbers.sort_unstable();
    numbers
}

/// Turns before `from` with a score above zero, the best first.
fn scores(material: &Material<'_>, query: &str, from: u64) -> Vec<(u64, f64)> {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;
    let turns = material.log.range(1, from.saturating_sub(1));
    let wanted: HashMap<String, ()> = words(query).map(|word| (word, ())).collect();
    let mut n_turns_with: HashMap<&str, f64> = HashMap::new();
    let mut counts: Vec<(u64, f64, HashMap<&str, f64>)> = Vec::new();
    for turn in turns {
        let mut length = 0.0;
        let mut found: HashMap<&str, f64> = HashMap::new();
        for word in words(&turn.text) {
            length += 1.0;
            if let Some((word, ())) = wanted.get_key_value(&word) {
                *found.entry(word).or_default() += 1.0;
            }
        }
        for word in found.keys() {
            *n_turns_with.entry(word).or_default() += 1.0;
        }
        counts.push((turn.number, length, found));
    }
    let n_turns: f64 = counts.iter().map(|_| 1.0).sum();
    let mean = counts.iter().map(|(_, length, _)| length).sum::<f64>() / f64::max(n_turns, 1.0);
    let mut scores: Vec<(u64, f64)> = counts
        .into_iter()
        .map(|(number, length, found)| {
            let score = found
                .into_iter()
                .map(|(word, count)| {
                    let with = n_turns_with[word];
                    let rare = ((n_turns - with + 0.5) / (with + 0.5) + 1.0).ln();
                    rare * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / f64::max(mean, 1.0)))
                })
                .sum();
            (number, score)
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scores.sort_by(|left, right| right.1.total_cmp(&left.1).then(right.0.cmp(&left.0)));
    scores
}

/// Words of three letters or more in lower case; signs of languages without blanks one by one.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .flat_map(|word| {
            if word.is_ascii() {
                vec![word.to_ascii_lowercase()]
            } else {
                word.chars().map(String::from).collect()
            }
        })
        .filter(|word| word.len() >= 3)
}
