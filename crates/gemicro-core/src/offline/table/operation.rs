//! What a question wants from a column: [`Operation`].

use crate::offline::question::Question;
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

/// What the words of a question ask to be worked out, and those words.
pub(super) fn operation(question: &Question) -> (Operation, Vec<String>) {
    let mut operation = None;
    let mut used = Vec::new();
    let mut take = |found: Operation, word: &str| {
        operation.get_or_insert(found);
        used.push(word.to_owned());
    };
    for word in &question.words {
        match word.lower.as_str() {
            "average" | "mean" | "durchschnitt" | "durchschnittlich" => take(Operation::Average, &word.lower),
            "total" | "sum" | "altogether" | "overall" | "insgesamt" | "summe" => {
                take(Operation::Sum, &word.lower)
            }
            "most" | "maximum" | "max" | "best" | "latest" | "meisten" => {
                take(Operation::Largest, &word.lower)
            }
            "least" | "minimum" | "min" | "fewest" | "lowest" | "smallest" | "shortest" | "cheapest"
            | "earliest" | "oldest" | "lightest" | "wenigsten" => {
                take(Operation::Smallest, &word.lower);
            }
            "compare" | "versus" | "vs" | "difference" | "more" | "less" | "than" | "cheaper" | "higher"
            | "lower" => take(Operation::Compare, &word.lower),
            lower if superlative_base(lower).is_some() => take(Operation::Largest, lower),
            _ => {}
        }
    }
    let is_count = question
        .words
        .windows(2)
        .any(|pair| pair[0].lower == "how" && pair[1].lower == "many")
        || question
            .words
            .first()
            .is_some_and(|word| matches!(word.lower.as_str(), "wieviele" | "count"))
        || question
            .words
            .windows(2)
            .any(|pair| pair[0].lower == "wie" && pair[1].lower == "viele");
    let operation = operation.unwrap_or(if is_count {
        Operation::Count
    } else {
        Operation::Lookup
    });
    (operation, used)
}
