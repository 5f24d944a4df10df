//! Reads one question: what kind of answer it expects, which names it holds, and what it asks about.
//!
//! The main types are [`Question`] and the public [`AnswerType`]. It never looks at a document; which of
//! the names is the subject is settled in `subject`, with the corpus at hand.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::language::{Ask, AskKind, Language};
use super::lexicon::lexicon;
use super::measure::{MeasuredNoun, classes_of_value, measured_noun, quantity_classes};
use super::text::{Word, is_uncased, words};
use super::unit_class::UnitClass;

/// The kind of answer that a question expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum AnswerType {
    /// A person, team or organisation.
    Person,
    /// A place.
    Place,
    /// What something or somebody is called.
    Name,
    /// A day, month, year or time.
    Date,
    /// A number; with units of these classes, where the list is not empty.
    Quantity {
        /// What the unit may measure.
        classes: Vec<UnitClass>,
    },
    /// Some value: a number, a code or a name.
    Value,
    /// Sentences that explain; no single value.
    Explanation,
}

#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) language: &'static Language,
    pub(crate) expected: AnswerType,
    pub(crate) words: Vec<Word>,
    /// Words of the wh-phrase, as indices into `words`.
    pub(crate) ask: Range<usize>,
    /// Byte range of the wh-phrase.
    pub(crate) ask_bytes: Range<usize>,
    /// The script has no capitals.
    pub(crate) uncased: bool,
    /// Nothing but nouns: "learning budget?"
    pub(crate) is_fragment: bool,
    /// "How many N": the words for the things counted.
    pub(crate) counted: Vec<String>,
    /// "… in kilometres": the unit that is asked for.
    pub(crate) unit: Option<String>,
    /// Numbers that name a thing: "lot 5206".
    pub(crate) identifiers: Vec<String>,
}

impl Question {
    pub(crate) fn read(text: &str) -> Self {
        let language = lexicon().language_of(text);
        let tokens = words(text);
        let uncased = is_uncased(text);
        let found = find_ask(text, &tokens, language);
        let (ask_kind, ask, ask_bytes) = match &found {
            Some(found) => (Some(found.ask), found.words.clone(), found.bytes.clone()),
            None => (None, 0..0, 0..0),
        };
        let is_fragment = ask_kind.is_none() && is_fragment(&tokens, language);
        let expected = match ask_kind {
            _ if asks_for_meaning(text) => AnswerType::Explanation,
            Some(ask_kind) => answer_type(ask_kind, text, &tokens, &ask, language),
            None if is_fragment || asks_list(&tokens) => expected_of_value(text, &tokens, &ask, language),
            None => AnswerType::Explanation,
        };
        let counted = counted_nouns(&expected, &tokens, &ask, language);
        let unit = wanted_unit(&tokens);
        let identifiers = identifiers(&tokens, language);
        Self {
            text: text.to_owned(),
            language,
            expected,
            words: tokens,
            ask,
            ask_bytes,
            uncased,
            is_fragment,
            counted,
            unit,
            identifiers,
        }
    }

    /// The word says nothing about what is asked.
    pub(crate) fn is_stop(&self, word: &Word) -> bool {
        self.language.stop.contains(&word.lower)
    }
}

fn counted_nouns(
    expected: &AnswerType,
    tokens: &[Word],
    ask: &Range<usize>,
    language: &Language,
) -> Vec<String> {
    let AnswerType::Quantity { classes } = expected else {
        return Vec::new();
    };
    if classes.last() != Some(&UnitClass::Count) {
        return Vec::new();
    }
    if !tokens[ask.clone()].iter().any(|word| word.lower == "many") && starts_with_how(tokens, ask) {
        return Vec::new();
    }
    tokens[ask.end..]
        .iter()
        .take(3)
        .take_while(|word| !language.stop.contains(&word.lower))
        .map(|word| word.lower.clone())
        .collect()
}

fn starts_with_how(tokens: &[Word], ask: &Range<usize>) -> bool {
    tokens.get(ask.start).is_some_and(|word| word.lower == "how")
}

fn wanted_unit(tokens: &[Word]) -> Option<String> {
    let (last, before) = tokens.split_last()?;
    let is_in = before.last().is_some_and(|word| word.lower == "in");
    (is_in && lexicon().unit(&last.lower).is_some()).then(|| last.lower.clone())
}

/// A number right behind a plain noun names a thing; behind a name it belongs to the name.
fn identifiers(tokens: &[Word], language: &Language) -> Vec<String> {
    let names = |pair: &[Word]| {
        pair[1].digit
            && !pair[0].digit
            && !pair[0].capital
            && !language.stop.contains(&pair[0].lower)
            && lexicon().month(&pair[0].lower).is_none()
            && !pair[0].cjk
    };
    tokens
        .windows(2)
        .filter(|pair| names(pair))
        .map(|pair| pair[1].lower.clone())
        .collect()
}

/// "What does X mean?", "What happens when …?": sentences that explain are wanted, not a value.
fn asks_for_meaning(text: &str) -> bool {
    let lower = text.trim_end_matches(['?', ' ']).to_lowercase();
    lower.ends_with(" mean")
        || lower.starts_with("what does ") && lower.contains(" mean ")
        || lower.starts_with("what happens ")
        || lower.ends_with(" happens")
}

struct FoundAsk<'a> {
    ask: &'a Ask,
    words: Range<usize>,
    bytes: Range<usize>,
}

/// The first wh-phrase, the longest at its place; without spaces, the longest anywhere.
fn find_ask<'a>(text: &str, tokens: &[Word], language: &'a Language) -> Option<FoundAsk<'a>> {
    if tokens.iter().any(|word| word.cjk) {
        return find_ask_in_characters(text, language);
    }
    for start in 0..tokens.len() {
        let mut best: Option<FoundAsk<'a>> = None;
        for ask in &language.asks {
            for phrase in &ask.words {
                let n_words = matched_words(&tokens[start..], phrase);
                if n_words == 0 || best.as_ref().is_some_and(|best| best.words.len() >= n_words) {
                    continue;
                }
                // An Arabic "from" is also "who", but only at the start; the same holds for "that" words.
                if start > 0
                    && n_words == 1
                    && matches!(
                        phrase.as_str(),
                        "من" | "ما" | "que" | "was" | "explain" | "describe"
                    )
                {
                    continue;
                }
                let bytes = tokens[start].range.start..tokens[start + n_words - 1].range.end;
                best = Some(FoundAsk {
                    ask,
                    words: start..start + n_words,
                    bytes,
                });
            }
        }
        if best.is_some() {
            return best;
        }
    }
    None
}

fn find_ask_in_characters<'a>(text: &str, language: &'a Language) -> Option<FoundAsk<'a>> {
    let mut best: Option<FoundAsk<'a>> = None;
    for ask in &language.asks {
        for phrase in &ask.words {
            let Some(at) = text.find(phrase.as_str()) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| best.bytes.len() < phrase.len()) {
                best = Some(FoundAsk {
                    ask,
                    words: 0..0,
                    bytes: at..at + phrase.len(),
                });
            }
        }
    }
    best
}

/// How many words a phrase covers at the start of these tokens; 0 when it does not stand there.
pub(crate) fn matched_words(tokens: &[Word], phrase: &str) -> usize {
    let mut n_words = 0;
    for part in phrase.split(' ') {
        if tokens.get(n_words).is_none_or(|word| word.lower != part) {
            return 0;
        }
        n_words += 1;
    }
    n_words
}

fn answer_type(ask: &Ask, text: &str, tokens: &[Word], at: &Range<usize>, language: &Language) -> AnswerType {
    match ask.kind {
        AskKind::Person => AnswerType::Person,
        AskKind::Place => AnswerType::Place,
        AskKind::Date => AnswerType::Date,
        AskKind::Name => AnswerType::Name,
        AskKind::Reason => AnswerType::Explanation,
        AskKind::Quantity => AnswerType::Quantity {
            classes: quantity_classes(ask, text, tokens, at, language),
        },
        AskKind::Value => expected_of_value(text, tokens, at, language),
    }
}

/// What "what is the …" wants, by the noun behind it.
fn expected_of_value(text: &str, tokens: &[Word], at: &Range<usize>, language: &Language) -> AnswerType {
    let is_average = tokens[at.end.min(tokens.len())..]
        .iter()
        .take(4)
        .any(|word| word.lower == "average" || word.lower == "mean");
    match measured_noun(text, tokens, at, language) {
        Some(MeasuredNoun::Date) => AnswerType::Date,
        Some(MeasuredNoun::Classes(classes)) => AnswerType::Quantity {
            classes: classes_of_value(classes, tokens, at, language),
        },
        None if is_average => AnswerType::Quantity { classes: Vec::new() },
        None => AnswerType::Value,
    }
}

/// "List the …", "Name all …"
fn asks_list(tokens: &[Word]) -> bool {
    let first = tokens.first().map_or("", |word| word.lower.as_str());
    matches!(first, "list" | "name" | "show" | "give" | "nenne" | "liste")
}

/// A few words without a verb: "port of the API?", "guest wifi password?"
fn is_fragment(tokens: &[Word], language: &Language) -> bool {
    let joins = [
        "of", "the", "for", "a", "an", "in", "on", "der", "die", "das", "für", "von",
    ];
    (1..=6).contains(&tokens.len())
        && !tokens.iter().any(|word| word.cjk)
        && tokens
            .iter()
            .all(|word| joins.contains(&word.lower.as_str()) || !language.stop.contains(&word.lower))
}
