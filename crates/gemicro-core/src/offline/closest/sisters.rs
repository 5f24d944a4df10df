//! Sentences about another thing of the same kind: [`names_sister`].

use crate::offline::lexicon::lexicon;
use crate::offline::question::Question;
use crate::offline::terms::QueryTerms;
use crate::offline::text::{Word, likeness, words};
use crate::offline::value::adjacent;

/// "The travel policy" in a sentence, where "the laptop policy" is asked about: a thing of the same kind.
pub(super) fn names_sister(question: &Question, terms: &QueryTerms, text: &str) -> bool {
    let tokens = words(text);
    let is_plain = |word: &Word| !lexicon().is_stop(&word.lower) && !word.digit;
    let pairs = question
        .words
        .windows(2)
        .skip(question.ask.end)
        .filter(|pair| pair.iter().all(is_plain));
    pairs.into_iter().any(|pair| {
        let is_other = |near: &[Word]| {
            near[1].lower == pair[1].lower
                && is_plain(&near[0])
                && !question.language.light.contains(&near[0].lower)
                && adjacent(text, &near[0], &near[1])
                && !terms.asks_about(&near[0].lower)
        };
        let holds = tokens
            .iter()
            .any(|word| likeness(&pair[0].lower, &word.lower) > 0.8);
        !holds && tokens.windows(2).any(is_other)
    })
}
