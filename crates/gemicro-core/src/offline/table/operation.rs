//! What a question wants from a column: [`Operation`].

use crate::offline::question::{Question, matched_words};
use crate::offline::terms::QueryTerms;
use crate::offline::text::{Word, superlative_base};

/// What a question wants from a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Lookup,
    Largest,
    Smallest,
    Sum,
    Average,
    Count,
    Compare,
}

/// Operations in the order in which they win: "how many … altogether" is a sum.
const OPERATIONS: [(&str, Operation); 6] = [
    ("average", Operation::Average),
    ("sum", Operation::Sum),
    ("smallest", Operation::Smallest),
    ("largest", Operation::Largest),
    ("compare", Operation::Compare),
    ("count", Operation::Count),
];

/// What the words of a question ask to be worked out, and those words.
pub(super) fn operation(question: &Question) -> (Operation, Vec<String>) {
    let asked = &question.language.operations;
    let mut found: Option<usize> = None;
    let mut used = Vec::new();
    for start in 0..question.words.len() {
        for (rank, (name, operation)) in OPERATIONS.iter().enumerate() {
            let phrases = asked.get(*name).into_iter().flatten();
            let n_words = phrases
                .map(|phrase| matched_words(&question.words[start..], phrase))
                .max()
                .unwrap_or(0);
            let word = &question.words[start].lower;
            let is_superlative = *operation == Operation::Largest
                && superlative_base(word).is_some()
                && !asked.get("smallest").is_some_and(|words| words.contains(word));
            if n_words == 0 && !is_superlative {
                continue;
            }
            found = Some(found.map_or(rank, |best| best.min(rank)));
            let last = start + n_words.max(1);
            used.extend(question.words[start..last].iter().map(|word| word.lower.clone()));
        }
    }
    (found.map_or(Operation::Lookup, |rank| OPERATIONS[rank].1), used)
}

/// "The lowest customer satisfaction": the table speaks of what is to be the lowest.
pub(super) fn has_extreme(
    question: &Question,
    terms: &QueryTerms,
    operation: Operation,
    qualities: &[f32],
) -> bool {
    let asked = &question.language.operations;
    let words = match operation {
        Operation::Largest => asked.get("largest"),
        Operation::Smallest => asked.get("smallest"),
        Operation::Lookup | Operation::Sum | Operation::Average | Operation::Count | Operation::Compare => {
            return true;
        }
    };
    let is_extreme = |word: &Word| {
        superlative_base(&word.lower).is_some() || words.is_some_and(|words| words.contains(&word.lower))
    };
    let Some(at) = question.words.iter().position(is_extreme) else {
        return true;
    };
    let behind = question.words[at + 1..]
        .iter()
        .take_while(|word| !question.is_stop(word));
    let place = |word: &Word| terms.entries().iter().position(|term| term.word == word.lower);
    let mut behind = behind.filter_map(place).peekable();
    behind.peek().is_none() || behind.any(|idx| qualities[idx] > 0.0)
}
