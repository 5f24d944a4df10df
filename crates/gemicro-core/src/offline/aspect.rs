//! The third gate: how much of what was asked does a sentence speak of?
//!
//! The main type is [`Aspects`]: the words of a question without its subject, each with a weight and its
//! synonyms. Coverage is the matched share of the weight; a unit can answer a word by itself.

use super::lexicon::{Language, UnitClass};
use super::question::Question;
use super::resolve::chunks;
use super::subject::Subject;
use super::techniques::Techniques;
use super::text::{Word, is_han, likeness, stem, words};
use crate::corpus::Corpus;

/// Weight of a word that says little.
const LIGHT: f32 = 0.35;
/// How well a synonym counts beside the word itself.
const SYNONYM: f32 = 0.85;
/// How well a fitting unit counts beside the word itself.
const LINKED: f32 = 0.8;

/// What a question asks about its subject.
#[derive(Debug)]
pub(crate) struct Aspects {
    entries: Vec<Aspect>,
    /// Chinese and Japanese: pieces of the question.
    pieces: Vec<String>,
    total: f32,
    language: &'static Language,
    synonyms: bool,
}

#[derive(Debug)]
struct Aspect {
    word: String,
    weight: f32,
    is_light: bool,
    groups: Vec<Vec<Vec<String>>>,
    linked: Vec<String>,
}

/// How much of the question a sentence covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Coverage {
    /// Matched share of the weight, 0 to 1.
    pub(crate) share: f32,
    /// At least one word that matters is matched.
    pub(crate) speaks: bool,
}

impl Aspects {
    pub(crate) fn of(corpus: &dyn Corpus, question: &Question, subject: Option<&Subject>, techniques: &Techniques) -> Self {
        let language = question.language;
        let mut aspects = Self { entries: Vec::new(), pieces: Vec::new(), total: 0.0, language, synonyms: techniques.synonyms };
        if question.words.iter().any(|word| word.cjk) {
            aspects.pieces = character_pieces(question, subject);
            return aspects;
        }
        let n_passages = corpus.n_passages().max(1) as f32;
        for (idx, word) in question.words.iter().enumerate() {
            let is_subject = subject.is_some_and(|subject| subject.parts().iter().any(|part| *part == word.lower || (question.uncased && likeness(part, &word.lower) > 0.8)));
            let is_wh = question.ask.contains(&idx) && is_wh_word(&word.lower, language);
            if is_subject || is_wh || language.stop.contains(&word.lower) || word.lower.chars().count() < 2 && !word.digit {
                continue;
            }
            let is_light = language.light.contains(&word.lower);
            let frequency = corpus.passage_frequency(&word.lower) as f32;
            // A word in every second passage is nearly a function word of this corpus.
            let rarity = if frequency == 0.0 { 1.0 } else { ((n_passages / frequency).ln() / 4.0).clamp(0.4, 1.2) };
            let weight = if is_light { LIGHT } else { rarity };
            let groups = language.groups_of(&word.lower).filter(|group| group_applies(group, question, idx)).cloned().collect();
            let linked = language.linked.get(&word.lower).cloned().unwrap_or_default();
            aspects.total += weight;
            aspects.entries.push(Aspect { word: word.lower.clone(), weight, is_light, groups, linked });
        }
        aspects
    }

    /// Nothing is asked beyond the subject.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.pieces.is_empty()
    }

    /// Words for the search index: the words themselves and their synonyms.
    pub(crate) fn terms(&self) -> Vec<String> {
        let mut terms: Vec<String> = self.entries.iter().map(|aspect| aspect.word.clone()).collect();
        terms.extend(self.pieces.iter().cloned());
        if self.synonyms {
            for phrase in self.entries.iter().flat_map(|aspect| aspect.groups.iter().flatten()) {
                if let [word] = phrase.as_slice() {
                    if !self.language.stop.contains(word) && !terms.contains(word) {
                        terms.push(word.clone());
                    }
                }
            }
        }
        terms
    }

    /// Coverage by a sentence whose fitting values have these unit classes.
    pub(crate) fn coverage(&self, sentence: &str, classes: &[UnitClass]) -> Coverage {
        if !self.pieces.is_empty() {
            return self.character_coverage(sentence, classes);
        }
        let tokens = words(sentence);
        let stems: Vec<String> = tokens.iter().map(|word| stem(&word.lower)).collect();
        let mut matched = 0.0;
        let mut speaks = false;
        let mut n_heavy = 0;
        for aspect in &self.entries {
            let quality = self.quality(aspect, &tokens, &stems, classes);
            matched += aspect.weight * quality;
            if !aspect.is_light {
                n_heavy += 1;
                speaks |= quality > 0.0;
            }
        }
        let share = if self.total > 0.0 { matched / self.total } else { 0.0 };
        Coverage { share, speaks: speaks || (n_heavy == 0 && matched > 0.0) }
    }

    fn quality(&self, aspect: &Aspect, tokens: &[Word], stems: &[String], classes: &[UnitClass]) -> f32 {
        let direct = tokens.iter().map(|word| likeness(&aspect.word, &word.lower)).fold(0.0, f32::max);
        if direct >= 0.95 {
            return direct;
        }
        let linked = if classes.iter().any(|class| aspect.linked.iter().any(|name| name == class.name())) { LINKED } else { 0.0 };
        let by_synonym = self.synonyms && aspect.groups.iter().flatten().any(|phrase| holds_phrase(stems, phrase));
        direct.max(linked).max(if by_synonym { SYNONYM } else { 0.0 })
    }

    /// Pairs of characters, or single Chinese characters where a word was shortened.
    fn character_coverage(&self, sentence: &str, classes: &[UnitClass]) -> Coverage {
        let mut matched = 0.0;
        let mut total = 0.0;
        for piece in &self.pieces {
            let chars: Vec<char> = piece.chars().collect();
            let weight = chars.len() as f32;
            total += weight;
            let n_pairs = chars.windows(2).filter(|pair| sentence.contains(&pair.iter().collect::<String>())).count();
            let by_pairs = if chars.len() > 1 { n_pairs as f32 / (chars.len() - 1) as f32 } else { 0.0 };
            let han: Vec<char> = chars.iter().copied().filter(|c| is_han(*c)).collect();
            let n_single = han.iter().filter(|c| sentence.contains(**c)).count();
            let by_single = if han.len() > 1 { 0.8 * n_single as f32 / han.len() as f32 } else { 0.0 };
            let by_synonym = if self.synonyms { self.character_synonyms(piece, sentence) } else { 0.0 };
            let is_linked = self.language.linked.iter().any(|(word, names)| piece.contains(word.as_str()) && classes.iter().any(|class| names.iter().any(|name| name == class.name())));
            let linked = if is_linked { LINKED * 0.8 } else { 0.0 };
            matched += weight * by_pairs.max(by_single).max(by_synonym).max(linked);
        }
        let share = if total > 0.0 { matched / total } else { 0.0 };
        Coverage { share, speaks: share >= 0.25 }
    }

    fn character_synonyms(&self, piece: &str, sentence: &str) -> f32 {
        let mut best: f32 = 0.0;
        for group in self.language.groups() {
            let asked = group.iter().flatten().filter(|word| piece.contains(word.as_str())).map(|word| word.chars().count()).max();
            let stated = group.iter().flatten().any(|word| sentence.contains(word.as_str()));
            if let (Some(n_chars), true) = (asked, stated) {
                best = best.max(SYNONYM * n_chars as f32 / piece.chars().count() as f32);
            }
        }
        best
    }
}

fn is_wh_word(word: &str, language: &Language) -> bool {
    language.stop.contains(word) || matches!(word, "how" | "many" | "much" | "what" | "which" | "wie" | "viel" | "viele" | "kam" | "كم" | "mal") || super::text::is_hangul(word.chars().next().unwrap_or(' ')) || super::text::is_arabic(word.chars().next().unwrap_or(' '))
}

/// A phrase of several words counts only where the question holds all of it.
fn group_applies(group: &[Vec<String>], question: &Question, idx: usize) -> bool {
    group.iter().any(|phrase| {
        phrase.iter().enumerate().all(|(offset, part)| {
            question.words.get(idx + offset).is_some_and(|word| word.lower == *part || stem(&word.lower) == stem(part))
        })
    })
}

fn holds_phrase(stems: &[String], phrase: &[String]) -> bool {
    let wanted: Vec<String> = phrase.iter().map(|part| stem(part)).collect();
    stems.windows(wanted.len()).any(|window| window == wanted.as_slice())
}

/// Pieces of a question without spaces, with the subject taken out.
fn character_pieces(question: &Question, subject: Option<&Subject>) -> Vec<String> {
    let mut pieces = Vec::new();
    for chunk in chunks(question) {
        let rest = match subject {
            Some(subject) => chunk.replace(subject.text.as_str(), " "),
            None => chunk,
        };
        pieces.extend(rest.split(' ').filter(|piece| piece.chars().count() > 1).map(str::to_owned));
    }
    pieces.retain(|piece| !question.language.light.contains(piece) || piece.chars().count() > 2);
    pieces
}
