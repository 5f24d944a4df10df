//! Finds documents that give different values for the same thing.
//!
//! The one function is [`contradictions`]. A document is never two sides, copies with the same value are
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

/// The contradiction between the best candidate and other documents, if there is one.
pub(crate) fn contradictions(question: &Question, candidates: &[Candidate]) -> Vec<Contradiction> {
    let Some((best, rest)) = candidates.split_first() else {
        return Vec::new();
    };
    if best.values.is_empty() || matches!(question.expected, AnswerType::Explanation) {
        return Vec::new();
    }
    let mut sides = vec![side(best)];
    let mut seen: HashSet<&str> = best.values.iter().map(|value| value.normal.as_str()).collect();
    let mut docs: HashSet<&str> = HashSet::from([best.passage.doc.as_str()]);
    // A document that also states the first value does not contradict it.
    let agreeing: HashSet<&str> = rest
        .iter()
        .filter(|other| other.coverage >= best.coverage * NEAR && shares_value(best, other))
        .map(|other| other.passage.doc.as_str())
        .collect();
    for other in rest {
        let doc = other.passage.doc.as_str();
        if docs.contains(doc) || agreeing.contains(doc) || !is_rival(best, other) {
            continue;
        }
        if other
            .values
            .iter()
            .any(|value| seen.contains(value.normal.as_str()))
        {
            continue;
        }
        seen.extend(other.values.iter().map(|value| value.normal.as_str()));
        docs.insert(doc);
        sides.push(side(other));
    }
    if sides.len() < 2 {
        Vec::new()
    } else {
        vec![Contradiction { sides }]
    }
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

fn same_unit(left: &Value, right: &Value) -> bool {
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
