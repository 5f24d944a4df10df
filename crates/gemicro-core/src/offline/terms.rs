//! The words of a question, weighted by how rare they are in the documents, and how well a text speaks of them.
//!
//! The main types are [`QueryTerms`] and [`WordForms`], the words of a text in every form in which they are compared:
//! whole, in their parts (`MAX_ATTEMPTS`, `maxAttempts`), as stems, as dates, and as the initials of a name.

use super::lexicon::lexicon;
/// Words of a text.
mod forms;
/// Synonyms and short forms.
mod relations;

pub(crate) use forms::WordForms;
use forms::{parts_of, quarter};
use relations::{initials_from, synonyms};

use super::question::Question;
use super::text::{Word, is_cjk, likeness};
use super::value::adjacent;
use crate::corpus::{Corpus, CorpusError};

/// How well a word counts that is found by a synonym, by its initials, in its parts, or by the unit of a value.
const SYNONYM: f32 = 0.7;
const INITIALS: f32 = 0.9;
const PARTS: f32 = 0.9;
const COMPOUND: f32 = 0.75;
const BY_UNIT: f32 = 0.7;
/// Weight of a word that says little, and of one that no document holds.
const LIGHT: f32 = 0.35;
const UNKNOWN: f32 = 0.5;
/// What is left of the weight of a word in a sentence before the question.
const BACKGROUND: f32 = 0.7;
/// A word in this many passages or more weighs least.
const COMMON: usize = 100;
const LEAST_WEIGHT: f32 = 0.15;
/// A name that weighs less than this says nothing about which document is meant.
const EVERYWHERE: f32 = 0.25;

/// What a question asks for, word by word.
#[derive(Debug)]
pub(crate) struct QueryTerms {
    entries: Vec<Term>,
    compounds: bool,
}

/// One word of the question.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) word: String,
    pub(crate) weight: f32,
    /// A name, a number or an identifier: a text that does not speak of it is about something else.
    pub(crate) is_required: bool,
    /// It says little about what is asked.
    pub(crate) is_light: bool,
    /// At least one passage holds it.
    pub(crate) is_known: bool,
    /// Its parts, where it is an identifier or a word with hyphens.
    parts: Vec<String>,
    month: Option<usize>,
    /// Phrases that mean the same, as stems.
    synonyms: Vec<Vec<String>>,
    /// Kinds of values that answer it by themselves.
    pub(crate) linked: Vec<String>,
    /// The initials that this word opens: "operating system" is "os".
    initials: Vec<String>,
}

impl QueryTerms {
    /// Reads the words of a question and counts them in the documents.
    pub(crate) fn of(corpus: &dyn Corpus, question: &Question) -> Result<Self, CorpusError> {
        let language = question.language;
        let mut entries: Vec<Term> = Vec::new();
        let content: Vec<&Word> = question.words.iter().collect();
        let background = background(question);
        let mut skipped = 0;
        for (idx, word) in content.iter().enumerate() {
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            let is_wh = question.ask.contains(&idx) && !word.capital_inside(&question.text);
            let is_empty = word.lower.chars().count() < 2 && !word.digit && !word.cjk;
            let is_stop = language.stop.contains(&word.lower) && !ends_name(question, idx);
            if is_stop || is_wh || is_empty || language.request.contains(&word.lower) {
                continue;
            }
            if word.cjk {
                entries.extend(character_terms(word, language));
                continue;
            }
            let next = content.get(idx + 1).map(|next| next.lower.as_str());
            if let Some(quarter) = quarter(&word.lower, next) {
                skipped = 1;
                entries.push(Term::plain(quarter.to_owned(), true));
                continue;
            }
            let slice = &question.text[word.range.clone()];
            let parts = parts_of(slice);
            let mut term = Term::plain(word.lower.clone(), is_required(question, idx, slice));
            term.month = lexicon()
                .month(&word.lower)
                .filter(|_| word.lower != "may" || word.capital);
            if parts.len() > 1 {
                term.parts = parts;
            }
            term.synonyms = synonyms(question, idx);
            term.linked = language.linked.get(&word.lower).cloned().unwrap_or_default();
            term.initials = initials_from(&content[idx..], |word| language.stop.contains(&word.lower));
            if idx < background {
                term.weight *= BACKGROUND;
                term.is_required = false;
            }
            let is_light = language.light.contains(&word.lower);
            if is_light && !term.is_required {
                term.weight *= LIGHT;
                term.is_light = true;
            }
            entries.push(term);
        }
        share_initials(&mut entries);
        for term in &mut entries {
            let n_passages = corpus.frequency(&term.word)?;
            term.is_known = n_passages > 0;
            let rarity = ((1 + n_passages.min(COMMON)) as f32).ln() / ((1 + COMMON) as f32).ln();
            let by_rarity = if term.is_known {
                1.0 - (1.0 - LEAST_WEIGHT) * rarity
            } else if term.is_required {
                1.0
            } else {
                UNKNOWN
            };
            term.weight *= by_rarity;
        }
        Ok(Self {
            entries,
            compounds: language.code == "de",
        })
    }

    pub(crate) fn entries(&self) -> &[Term] {
        &self.entries
    }

    /// Words for the search index: the words, their parts, and synonyms of one word.
    pub(crate) fn search_words(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for term in &self.entries {
            let synonyms = term.synonyms.iter().filter(|phrase| phrase.len() == 1).flatten();
            for word in std::iter::once(&term.word).chain(&term.parts).chain(synonyms) {
                if !found.contains(word) {
                    found.push(word.clone());
                }
            }
        }
        found
    }

    /// How well a text speaks of each word, 0 to 1; `kinds` are the kinds of its fitting values.
    pub(crate) fn qualities(&self, forms: &WordForms, kinds: &[&str]) -> Vec<f32> {
        let found = self.entries.iter().map(|term| {
            let by_unit = term.linked.iter().any(|name| kinds.contains(&name.as_str()));
            term.quality(forms, self.compounds)
                .max(if by_unit { BY_UNIT } else { 0.0 })
        });
        found.collect()
    }

    /// The share of the weight that these qualities cover.
    pub(crate) fn share(&self, qualities: &[f32]) -> f32 {
        let total: f32 = self.entries.iter().map(|term| term.weight).sum();
        let covered: f32 = self
            .entries
            .iter()
            .zip(qualities)
            .map(|(term, quality)| term.weight * quality)
            .sum();
        if total > 0.0 { covered / total } else { 0.0 }
    }

    /// Every name, number and identifier of the question is spoken of; a name that is everywhere need not be.
    pub(crate) fn holds_required(&self, qualities: &[f32]) -> bool {
        let mut pairs = self.entries.iter().zip(qualities);
        pairs.all(|(term, quality)| !term.is_required || *quality > 0.0 || term.weight < EVERYWHERE)
    }

    /// How many words that matter are not spoken of; one that is spoken of in other words counts in part.
    pub(crate) fn missing(&self, qualities: &[f32]) -> f32 {
        let heavy = self
            .entries
            .iter()
            .zip(qualities)
            .filter(|(term, _)| !term.is_light);
        heavy.map(|(_, quality)| 1.0 - quality).sum()
    }

    /// A word of a text is one of the question's, in another form or as a synonym.
    pub(crate) fn asks_about(&self, word: &str) -> bool {
        self.qualities(&WordForms::of(word), &[])
            .iter()
            .any(|quality| *quality > 0.0)
    }

    /// The first name of the question that no document holds.
    pub(crate) fn unknown_name<'a>(&self, question: &'a Question) -> Option<&'a str> {
        let unknown = self
            .entries
            .iter()
            .find(|term| term.is_required && !term.is_known && !term.is_in_parts())?;
        let word = question.words.iter().find(|word| word.lower == unknown.word)?;
        Some(
            question.text[word.range.clone()]
                .trim_end_matches("'s")
                .trim_end_matches("’s"),
        )
    }
}

impl Term {
    fn plain(word: String, is_required: bool) -> Self {
        Self {
            word,
            weight: 1.0,
            is_required,
            is_light: false,
            is_known: false,
            parts: Vec::new(),
            month: None,
            synonyms: Vec::new(),
            linked: Vec::new(),
            initials: Vec::new(),
        }
    }

    /// A name of a program: `MAX_ATTEMPTS`, `maxAttempts`.
    pub(crate) fn is_identifier(&self) -> bool {
        self.is_required && self.parts.len() > 1
    }

    fn is_in_parts(&self) -> bool {
        self.parts.len() > 1 || self.month.is_some()
    }

    fn quality(&self, forms: &WordForms, compounds: bool) -> f32 {
        if forms.wholes.contains(&self.word) {
            return 1.0;
        }
        if self.month.is_some_and(|month| forms.months.contains(&month)) {
            return 1.0;
        }
        let is_short = forms.is_head && self.initials.iter().any(|short| forms.wholes.contains(short));
        if is_short || forms.initials_of(&self.word) {
            return INITIALS;
        }
        if !self.parts.is_empty() {
            let n_found = self
                .parts
                .iter()
                .filter(|part| forms.atoms.contains(part))
                .count();
            let in_row = forms
                .atoms
                .windows(self.parts.len())
                .any(|window| window == self.parts.as_slice());
            let share = n_found as f32 / self.parts.len() as f32;
            return if in_row {
                PARTS
            } else if self.is_required {
                0.0
            } else {
                0.8 * share
            };
        }
        // "cans" is no form of "can": function words match only as they are.
        let direct = forms
            .atoms
            .iter()
            .filter(|atom| !lexicon().is_stop(atom))
            .map(|atom| likeness(&self.word, atom))
            .fold(0.0, f32::max);
        if direct >= 0.9 {
            return direct;
        }
        let holds = |phrase: &Vec<String>| {
            forms
                .stems
                .windows(phrase.len())
                .any(|window| window == phrase.as_slice())
        };
        if self.synonyms.iter().any(holds) {
            return SYNONYM;
        }
        let is_compound = |atom: &String| compounds && shares_compound(&self.word, atom);
        if direct == 0.0 && forms.atoms.iter().any(is_compound) {
            return COMPOUND;
        }
        direct
    }
}

/// How many words are in sentences before the one that asks.
fn background(question: &Question) -> usize {
    let start = question.ask_bytes.start;
    let Some(end) = question.text[..start].rfind(". ") else {
        return 0;
    };
    question
        .words
        .iter()
        .take_while(|word| word.range.start < end)
        .count()
}

/// German writes compounds as one word: "Bahn" is in "Bergbahn" and "Tal" opens "Talfahrt".
fn shares_compound(asked: &str, stated: &str) -> bool {
    let (short, long) = if asked.len() < stated.len() {
        (asked, stated)
    } else {
        (stated, asked)
    };
    let n_short = short.chars().count();
    n_short >= 5 && long.chars().count() >= n_short + 3 && (long.ends_with(short) || long.starts_with(short))
}

/// A number, an identifier, a name with a capital, or a short form in capitals.
fn is_required(question: &Question, idx: usize, slice: &str) -> bool {
    let word = &question.words[idx];
    let n_capitals = slice.chars().filter(|c| c.is_uppercase()).count();
    let opens = idx == 0
        || question.text[question.words[idx - 1].range.end..word.range.start]
            .contains(['.', '!', '?', ':', '"', '“']);
    let is_identifier = slice.contains('_') || word.digit || n_capitals > 1 && !slice.contains('-');
    let is_name = word.capital && !opens && question.language.code != "de";
    let is_date = lexicon().month(&word.lower).is_some() || lexicon().is_day(&word.lower);
    (is_identifier || is_name) && !is_date
}

/// The short form of two words stands for both.
fn share_initials(entries: &mut [Term]) {
    for idx in 1..entries.len() {
        let before = entries[idx - 1].initials.clone();
        entries[idx]
            .initials
            .extend(before.into_iter().filter(|short| short.len() == 2));
    }
}

/// Pairs of characters, where a script has no spaces.
fn character_terms(word: &Word, language: &super::language::Language) -> Vec<Term> {
    let chars: Vec<char> = word.lower.chars().filter(|c| is_cjk(*c)).collect();
    let pairs = chars.windows(2).map(|pair| pair.iter().collect::<String>());
    let pairs = pairs.filter(|pair| !language.stop.contains(pair));
    pairs.map(|pair| Term::plain(pair, false)).collect()
}

/// "Lumo One": a word with a capital right behind another one belongs to a name, whatever it means elsewhere.
fn ends_name(question: &Question, idx: usize) -> bool {
    let Some(before) = idx.checked_sub(1).map(|idx| &question.words[idx]) else {
        return false;
    };
    let word = &question.words[idx];
    word.capital
        && before.capital
        && !lexicon().is_stop(&before.lower)
        && adjacent(&question.text, before, word)
}

impl Word {
    /// It has a capital behind its first letter, so that it is no question word.
    fn capital_inside(&self, text: &str) -> bool {
        text[self.range.clone()].chars().skip(1).any(char::is_uppercase)
    }
}
