//! Which sentence of a fetched page says what an answer claims, if one does.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::corpus::{BlockKind, Document};
use crate::offline::{content_words, sentence_ranges};

/// The share of a claim's words that a sentence must hold to stand for it.
const ENOUGH: f64 = 0.6;

/// The place of the sentence that holds most words of a claim; `None` where no sentence holds enough of them,
/// or the numbers of the claim are not in it.
pub(super) fn supporting_span(document: &Document, claim: &str) -> Option<Range<usize>> {
    let wanted: BTreeSet<String> = content_words(claim).into_iter().collect();
    if wanted.is_empty() {
        return None;
    }
    let numbers: Vec<&String> = wanted.iter().filter(|word| is_number(word)).collect();
    let mut best: Option<(f64, Range<usize>)> = None;
    let readable = document
        .blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Heading);
    for block in readable {
        let Some(text) = document.text.get(block.range.clone()) else {
            continue;
        };
        for sentence in sentence_ranges(text, block.kind) {
            let said: BTreeSet<String> = content_words(&text[sentence.clone()]).into_iter().collect();
            let n_found = wanted.intersection(&said).count();
            let share = n_found as f64 / wanted.len() as f64;
            let has_numbers = numbers.iter().all(|number| said.contains(*number));
            if share >= ENOUGH && has_numbers && best.as_ref().is_none_or(|(most, _)| share > *most) {
                let place = block.range.start + sentence.start..block.range.start + sentence.end;
                best = Some((share, place));
            }
        }
    }
    best.map(|(_, place)| place)
}

fn is_number(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
}
