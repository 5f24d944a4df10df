//! What a question wants from a column: [`Operation`].

use crate::offline::question::{Question, matched_words};
use crate::offline::text::superlative_base;

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
