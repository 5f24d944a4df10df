//! The third gate: how much of what was asked does a sentence speak of?
//!
//! The main type is [`Aspects`]: the words of a question without its subject, each with a weight and its
//! synonyms. Coverage is the matched share of the weight; a unit can answer a word by itself.

mod characters;

use std::ops::Range;

use characters::character_pieces;

use super::language::Language;
use super::question::{AnswerType, Question};
use super::subject::Subject;
use super::text::{Word, likeness, stem, superlative_base, words};

/// Weight of a word that says little.
const LIGHT: f32 = 0.35;
/// How well a synonym counts beside the word itself.
const SYNONYM: f32 = 0.85;
/// How well a fitting unit counts beside the word itself.
const LINKED: f32 = 0.7;
/// What is left of the coverage when the sentence says nothing of "largest", "maximum" and the like.
const WITHOUT_EXTREME: f32 = 0.38;
/// The same when it says nothing of the role or the things that the question names.
const WITHOUT_ESSENTIAL: f32 = 0.5;

/// What a question asks about its subject.
#[derive(Debug)]
pub(crate) struct Aspects {
    entries: Vec<Aspect>,
    /// Chinese and Japanese: pieces of the question.
    pieces: Vec<String>,
    total: f32,
    language: &'static Language,
    compounds: bool,
}

#[derive(Debug, Clone)]
struct Aspect {
    word: String,
    weight: f32,
    is_light: bool,
    /// A superlative or a limit: without it a sentence gives some value, not the one asked for.
    is_extreme: bool,
    /// The role or the things that the question names: "Who is the NURSE", "How many CATS".
    is_essential: bool,
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
    pub(crate) fn of(question: &Question, subject: Option<&Subject>) -> Self {
        let language = question.language;
        let mut aspects = Self {
            entries: Vec::new(),
            pieces: Vec::new(),
            total: 0.0,
            language,
            compounds: language.code == "de",
        };
        if question.words.iter().any(|word| word.cjk) {
            aspects.pieces = character_pieces(question, subject);
            return aspects;
        }
        for (idx, word) in question.words.iter().enumerate() {
            let is_subject = subject.is_some_and(|subject| {
                subject.parts().iter().any(|part| {
                    *part == word.lower || (question.uncased && likeness(part, &word.lower) > 0.8)
                })
            });
            let is_wh = question.ask.contains(&idx) && is_wh_word(&word.lower, language);
            if is_subject
                || is_wh
                || language.stop.contains(&word.lower)
                || word.lower.chars().count() < 2 && !word.digit
            {
                continue;
            }
            let is_light =
                language.light.contains(&word.lower) || language.follow.nouns.contains(&word.lower);
            let weight = if is_light { LIGHT } else { 1.0 };
            let groups = groups_at(language, question, idx);
            let is_essential = !is_light && is_essential(question, idx);
            let linked = language.linked.get(&word.lower).cloned().unwrap_or_default();
            aspects.total += weight;
            let is_extreme = language.code == "en"
                && (superlative_base(&word.lower).is_some()
                    || matches!(word.lower.as_str(), "maximum" | "minimum" | "record"));
            aspects.entries.push(Aspect {
                word: word.lower.clone(),
                weight,
                is_light,
                is_extreme,
                is_essential,
                groups,
                linked,
            });
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
        for phrase in self
            .entries
            .iter()
            .flat_map(|aspect| aspect.groups.iter().flatten())
        {
            if let [word] = phrase.as_slice()
                && !self.language.stop.contains(word)
                && !terms.contains(word)
            {
                terms.push(word.clone());
            }
        }
        terms
    }

    /// Coverage by a sentence whose fitting values are of these kinds (unit classes or `date`); `skip` is where the subject stands.
    pub(crate) fn coverage(&self, sentence: &str, skip: &[Range<usize>], kinds: &[&str]) -> Coverage {
        if !self.pieces.is_empty() {
            return self.character_coverage(sentence, kinds);
        }
        let qualities = self.qualities(sentence, skip, kinds);
        let mut matched = 0.0;
        let mut speaks = false;
        let mut n_heavy = 0;
        let mut kept = 1.0_f32;
        for (aspect, quality) in self.entries.iter().zip(qualities) {
            matched += aspect.weight * quality;
            if !aspect.is_light {
                n_heavy += 1;
                speaks |= quality > 0.0;
            }
            if quality == 0.0 && aspect.is_extreme {
                kept = kept.min(WITHOUT_EXTREME);
            } else if quality == 0.0 && aspect.is_essential {
                kept = kept.min(WITHOUT_ESSENTIAL);
            }
        }
        let share = if self.total > 0.0 {
            matched / self.total
        } else {
            0.0
        };
        Coverage {
            share: share * kept,
            speaks: speaks || (n_heavy == 0 && matched > 0.0),
        }
    }

    fn qualities(&self, sentence: &str, skip: &[Range<usize>], kinds: &[&str]) -> Vec<f32> {
        let mut tokens = words(sentence);
        tokens.retain(|word| {
            !skip
                .iter()
                .any(|range| range.start <= word.range.start && word.range.end <= range.end)
        });
        let stems: Vec<String> = tokens.iter().map(|word| stem(&word.lower)).collect();
        self.entries
            .iter()
            .map(|aspect| self.quality(aspect, &tokens, &stems, kinds))
            .collect()
    }

    /// What is left to ask when a sentence has said its part: for a second hop.
    pub(crate) fn residual(&self, sentence: &str, skip: &[Range<usize>]) -> Self {
        let qualities = self.qualities(sentence, skip, &[]);
        let mut entries: Vec<Aspect> = self
            .entries
            .iter()
            .zip(qualities)
            .filter(|(_, quality)| *quality < 0.7)
            .map(|(aspect, _)| aspect.clone())
            .collect();
        if entries.iter().any(|aspect| !aspect.is_light) {
            entries.retain(|aspect| !aspect.is_light);
        }
        let total = entries.iter().map(|aspect| aspect.weight).sum();
        Self {
            entries,
            pieces: Vec::new(),
            total,
            language: self.language,
            compounds: self.compounds,
        }
    }

    /// Something that matters is asked.
    pub(crate) fn has_weight(&self) -> bool {
        self.entries.iter().any(|aspect| !aspect.is_light)
    }

    /// The word means the same as the things that the question counts.
    pub(crate) fn counts_same(&self, counted: &str, word: &str) -> bool {
        likeness(counted, word) > 0.0
            || self.language.groups_of(counted).any(|group| {
                group
                    .iter()
                    .any(|phrase| phrase.len() == 1 && likeness(&phrase[0], word) >= 0.95)
            })
    }

    fn quality(&self, aspect: &Aspect, tokens: &[Word], stems: &[String], kinds: &[&str]) -> f32 {
        let direct = tokens
            .iter()
            .map(|word| self.word_likeness(&aspect.word, &word.lower))
            .fold(0.0, f32::max);
        if direct >= 0.95 {
            return direct;
        }
        let linked = if aspect.linked.iter().any(|name| kinds.contains(&name.as_str())) {
            LINKED
        } else {
            0.0
        };
        let by_synonym = aspect
            .groups
            .iter()
            .flatten()
            .any(|phrase| holds_phrase(stems, phrase));
        direct.max(linked).max(if by_synonym { SYNONYM } else { 0.0 })
    }

    /// German writes compounds as one word: "Bahn" is in "Bergbahn" and "Tal" opens "Talfahrt".
    fn word_likeness(&self, asked: &str, stated: &str) -> f32 {
        let direct = likeness(asked, stated);
        if direct > 0.0 || !self.compounds {
            return direct;
        }
        let (short, long) = if asked.len() < stated.len() {
            (asked, stated)
        } else {
            (stated, asked)
        };
        let n_short = short.chars().count();
        let is_part = long.chars().count() >= n_short + 3
            && (n_short >= 4 && long.ends_with(short) || n_short >= 3 && long.starts_with(short));
        if is_part { 0.75 } else { 0.0 }
    }
}

fn is_wh_word(word: &str, language: &Language) -> bool {
    language.stop.contains(word)
        || matches!(
            word,
            "how" | "many" | "much" | "what" | "which" | "wie" | "viel" | "viele" | "kam" | "كم" | "mal"
        )
        || super::text::is_hangul(word.chars().next().unwrap_or(' '))
        || super::text::is_arabic(word.chars().next().unwrap_or(' '))
}

/// Groups for the word at a place: by itself, or as part of a phrase that the question holds whole.
fn groups_at(language: &Language, question: &Question, idx: usize) -> Vec<Vec<Vec<String>>> {
    let mut groups: Vec<Vec<Vec<String>>> = Vec::new();
    for start in idx.saturating_sub(2)..=idx {
        let holds = |phrase: &Vec<String>| {
            start + phrase.len() > idx
                && phrase.iter().enumerate().all(|(offset, part)| {
                    let word = question.words.get(start + offset);
                    word.is_some_and(|word| word.lower == *part || stem(&word.lower) == stem(part))
                })
        };
        let found = language
            .groups_of(&question.words[start].lower)
            .filter(|group| group.iter().any(holds));
        groups.extend(found.cloned());
    }
    groups
}

/// The noun right behind "who is the …", and the plural behind "how many …".
fn is_essential(question: &Question, idx: usize) -> bool {
    let word = &question.words[idx];
    if !question.counted.is_empty()
        && question.words[question.ask.clone()]
            .iter()
            .any(|word| matches!(word.lower.as_str(), "big" | "large"))
    {
        return question.counted.contains(&word.lower);
    }
    if let Some(plural) = question
        .counted
        .iter()
        .find(|noun| noun.ends_with('s') && !noun.ends_with("ss"))
    {
        return *plural == word.lower;
    }
    if question.expected != AnswerType::Person || question.language.code != "en" {
        return false;
    }
    let from = question.ask.end;
    let is_copula = question
        .words
        .get(from)
        .is_some_and(|word| matches!(word.lower.as_str(), "is" | "was" | "are"));
    let start = from
        + 1
        + usize::from(
            question
                .words
                .get(from + 1)
                .is_some_and(|word| question.is_stop(word)),
        );
    let n_words = question.words.get(start..).map_or(0, |rest| {
        rest.iter()
            .take_while(|word| !question.is_stop(word) && !word.capital)
            .count()
    });
    is_copula && n_words > 0 && idx == start + n_words - 1 && question.words.get(start + n_words).is_some()
}

fn holds_phrase(stems: &[String], phrase: &[String]) -> bool {
    let wanted: Vec<String> = phrase.iter().map(|part| stem(part)).collect();
    stems
        .windows(wanted.len())
        .any(|window| window == wanted.as_slice())
}
