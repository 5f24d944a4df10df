//! Finds documents that give different values for the same thing.
//!
//! The main functions are [`contradictions`] and [`disagreement`]. A document is never two sides, copies with the same value are
//! one side, and a sentence that merely mentions another value of the same unit is none.

use std::collections::HashSet;

use super::finding::{Contradiction, Side};
use super::fit::is_clock;
use super::question::{AnswerType, Question};
use super::select::Candidate;
use super::text::{stem, words};
use super::value::{Value, ValueKind};

/// How near the score of another side must come to the best one.
const NEAR: f32 = 0.45;
/// How near it must come when the sentences are worded otherwise.
const NEAR_ENOUGH: f32 = 0.65;
/// Share of words that two wordings of one sentence have in common.
const SAME_FRAME: f32 = 0.6;
/// Least coverage of two names that stand in sentences of other words.
const SURE: f32 = 0.6;
/// How near it must come when the sentences share no unit.
const NEARER: f32 = 0.85;

/// The contradiction between the best candidate and other documents that answer about as well, if there is one.
pub(crate) fn contradictions(question: &Question, candidates: &[Candidate]) -> Vec<Contradiction> {
    let Some((best, rest)) = candidates.split_first() else {
        return Vec::new();
    };
    // A document that also states the first value does not contradict it.
    let agrees = |doc: &str| {
        let mut same = rest.iter().filter(|other| other.passage.doc == doc);
        same.any(|other| other.coverage >= best.coverage * NEAR && shares_value(best, other))
    };
    let rivals = rest
        .iter()
        .filter(|other| is_rival(best, other) && !agrees(&other.passage.doc));
    disagreement(question, best, rivals.cloned().collect())
}

/// The contradiction between a candidate and rivals that are known to speak of the same thing, one per document.
pub(crate) fn disagreement(
    question: &Question,
    best: &Candidate,
    rivals: Vec<Candidate>,
) -> Vec<Contradiction> {
    if best.values.is_empty() || matches!(question.expected, AnswerType::Explanation) {
        return Vec::new();
    }
    let mut sides = vec![side(best)];
    let mut seen: HashSet<String> = best.values.iter().map(magnitude).collect();
    for other in rivals {
        let is_known = sides.iter().any(|side| side.doc == other.passage.doc);
        let repeats = other.values.iter().any(|value| seen.contains(&magnitude(value)));
        if is_known || repeats || !is_comparable(best, &other) {
            continue;
        }
        seen.extend(other.values.iter().map(magnitude));
        sides.push(side(&other));
    }
    if sides.len() < 2 {
        Vec::new()
    } else {
        vec![Contradiction { sides }]
    }
}

/// The first values are of one kind.
fn is_comparable(best: &Candidate, other: &Candidate) -> bool {
    let (Some(left), Some(right)) = (best.values.first(), other.values.first()) else {
        return false;
    };
    match (left.kind, right.kind) {
        (ValueKind::Date, ValueKind::Date) => is_clock(&left.normal) == is_clock(&right.normal),
        (ValueKind::Name, ValueKind::Name) => same_frame(best, other),
        (left, right) => left == right,
    }
}

/// A value in a form that does not depend on the unit of time: 72 hours are 3 days.
fn magnitude(value: &Value) -> String {
    let unit = value.unit.as_deref().map(stem).unwrap_or_default();
    let seconds = match unit.as_str() {
        "second" | "sec" | "s" => 1.0,
        "minut" | "min" => 60.0,
        "hour" | "hr" | "h" => 3_600.0,
        "dai" | "day" | "d" => 86_400.0,
        "week" => 604_800.0,
        _ => return value.normal.clone(),
    };
    value.normal.parse::<f64>().map_or_else(
        |_| value.normal.clone(),
        |number| format!("{} s", number * seconds),
    )
}

fn shares_value(left: &Candidate, right: &Candidate) -> bool {
    left.values
        .iter()
        .any(|value| right.values.iter().any(|other| other.normal == value.normal))
}

/// The other sentence answers the same question about as well, with a value of the same kind.
fn is_rival(best: &Candidate, other: &Candidate) -> bool {
    let (Some(left), Some(right)) = (best.values.first(), other.values.first()) else {
        return false;
    };
    let is_same = same_frame(best, other);
    let near = if is_same { NEAR } else { NEAR_ENOUGH };
    let needed = match (left.kind, right.kind) {
        (ValueKind::Number(left_class), ValueKind::Number(right_class)) if left_class == right_class => {
            if same_unit(left, right) {
                near
            } else {
                NEARER
            }
        }
        (ValueKind::Date, ValueKind::Date) if is_clock(&left.normal) == is_clock(&right.normal) => near,
        (ValueKind::Code, ValueKind::Code) => near,
        (ValueKind::Name, ValueKind::Name) if is_same || other.coverage >= SURE => NEARER,
        _ => return false,
    };
    best.is_direct == other.is_direct && other.coverage >= best.coverage * needed
}

/// The sentences say the same but for the value.
fn same_frame(left: &Candidate, right: &Candidate) -> bool {
    let stems = |candidate: &Candidate| -> HashSet<String> {
        words(candidate.span())
            .iter()
            .filter(|word| {
                !candidate
                    .values
                    .iter()
                    .any(|value| value.range.contains(&word.range.start))
            })
            .map(|word| stem(&word.lower))
            .collect()
    };
    let (left, right) = (stems(left), stems(right));
    let n_shared = left.intersection(&right).count();
    n_shared as f32 >= SAME_FRAME * left.len().min(right.len()) as f32
}

/// The values are given in one unit.
pub(crate) fn same_unit(left: &Value, right: &Value) -> bool {
    match (&left.unit, &right.unit) {
        (Some(left), Some(right)) => stem(left) == stem(right),
        (None, None) => true,
        _ => false,
    }
}

fn side(candidate: &Candidate) -> Side {
    let value = candidate
        .values
        .first()
        .map_or("", |value| &candidate.span()[value.range.clone()]);
    Side {
        doc: candidate.passage.doc.clone(),
        date: candidate.passage.date.clone(),
        span: candidate.span().to_owned(),
        range: candidate.range(),
        value: value.to_owned(),
    }
}
