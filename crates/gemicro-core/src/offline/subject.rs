//! The first gate: what a question is about, and where exactly that name stands in a text.
//!
//! The main type is [`Subject`]. A name is compared word by word and never stemmed; the longest name wins,
//! so a name that goes on to the left or right is a different one. Finding the subject of a question
//! needs the corpus and is in `resolve`.

use std::ops::Range;

use super::lexicon::lexicon;
use super::question::Question;
use super::text::{Word, is_cjk, likeness, words};
use super::value::adjacent;
use crate::corpus::Passage;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subject {
    /// As it is searched and shown.
    pub(crate) text: String,
    /// Lower-case words; one entry with all characters in Chinese and Japanese.
    parts: Vec<String>,
    form: SubjectForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectForm {
    /// A name with capitals, possibly with a plain noun behind it.
    Name,
    /// A noun of a language that writes every noun with a capital.
    Noun,
    /// Plain words after an article, or a word with a hyphen.
    Phrase,
    /// Words of a script without capitals.
    Uncased,
    /// Characters written without spaces.
    Characters,
}

/// Where a text is looked at: titles and headings may go on after the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Sentence,
    Title,
}

impl Subject {
    pub(crate) fn new(text: &str, form: SubjectForm) -> Self {
        let parts = match form {
            SubjectForm::Characters => vec![text.to_owned()],
            SubjectForm::Name | SubjectForm::Noun | SubjectForm::Phrase | SubjectForm::Uncased => {
                words(text).into_iter().map(|word| word.lower).collect()
            }
        };
        Self {
            text: text.to_owned(),
            parts,
            form,
        }
    }

    pub(crate) fn form(&self) -> SubjectForm {
        self.form
    }

    /// The words of the name, in lower case.
    pub(crate) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Byte ranges at which exactly this subject stands.
    pub(crate) fn occurrences(&self, text: &str, place: Place) -> Vec<Range<usize>> {
        if self.form == SubjectForm::Characters {
            return self.character_occurrences(text);
        }
        let tokens = words(text);
        let n_parts = self.parts.len();
        self.starts(&tokens)
            .into_iter()
            .filter(|start| self.is_whole_name(text, &tokens, *start, place))
            .map(|start| tokens[start].range.start..tokens[start + n_parts - 1].range.end)
            .collect()
    }

    fn starts(&self, tokens: &[Word]) -> Vec<usize> {
        let n_parts = self.parts.len();
        if n_parts == 0 || tokens.len() < n_parts {
            return Vec::new();
        }
        let same = |word: &Word, part: &String| match self.form {
            SubjectForm::Uncased => likeness(&word.lower, part) > 0.8,
            SubjectForm::Name | SubjectForm::Noun | SubjectForm::Phrase | SubjectForm::Characters => {
                word.lower == *part
            }
        };
        (0..=tokens.len() - n_parts)
            .filter(|start| {
                self.parts
                    .iter()
                    .zip(&tokens[*start..])
                    .all(|(part, word)| same(word, part))
            })
            .collect()
    }

    fn is_whole_name(&self, text: &str, tokens: &[Word], start: usize, place: Place) -> bool {
        let last = &tokens[start + self.parts.len() - 1];
        let before = start
            .checked_sub(1)
            .map(|idx| (idx, &tokens[idx]))
            .filter(|(_, word)| adjacent(text, word, &tokens[start]));
        let after = tokens
            .get(start + self.parts.len())
            .filter(|word| adjacent(text, last, word) && !ends_with_possessive(text, last));
        match self.form {
            SubjectForm::Name => {
                let starts_longer = before.is_some_and(|(idx, word)| {
                    is_name_word(word) && (!opens_sentence(text, tokens, idx) || !may_open(&word.lower))
                });
                let goes_on = place == Place::Sentence
                    && after.is_some_and(|word| {
                        is_name_word(word) || (is_number(word) && !self.has_number() && last.capital)
                    });
                !starts_longer && !goes_on
            }
            // "the remote travel policy" is not "the travel policy".
            SubjectForm::Phrase => before.is_none_or(|(idx, word)| {
                lexicon().is_stop(&word.lower)
                    || opens_sentence(text, tokens, idx)
                    || tokens[start].lower.contains('-')
                    || self.has_number()
            }),
            SubjectForm::Noun | SubjectForm::Uncased | SubjectForm::Characters => true,
        }
    }

    fn has_number(&self) -> bool {
        self.parts
            .iter()
            .any(|part| part.chars().any(|c| c.is_ascii_digit()))
    }

    /// Without spaces, a name that follows another character directly may be a longer name.
    fn character_occurrences(&self, text: &str) -> Vec<Range<usize>> {
        let language = lexicon().language_of(text);
        text.match_indices(self.text.as_str())
            .filter(|(at, _)| {
                let before = &text[..*at];
                before.chars().next_back().is_none_or(|c| {
                    !is_cjk(c)
                        || language.stop.iter().any(|stop| before.ends_with(stop.as_str()))
                        || is_kana(c) != self.text.chars().next().is_some_and(is_kana)
                })
            })
            .map(|(at, found)| at..at + found.len())
            .collect()
    }
}

fn is_kana(c: char) -> bool {
    is_cjk(c) && !super::text::is_han(c)
}

fn ends_with_possessive(text: &str, word: &Word) -> bool {
    let slice = &text[word.range.clone()];
    slice.ends_with("'s") || slice.ends_with("’s")
}

fn is_number(word: &Word) -> bool {
    word.lower.chars().next().is_some_and(|c| c.is_ascii_digit()) && word.lower.contains('.')
}

/// A word with a capital that could be part of a name.
fn is_name_word(word: &Word) -> bool {
    let lexicon = lexicon();
    word.capital
        && !lexicon.is_stop(&word.lower)
        && !lexicon.is_title(&word.lower)
        && lexicon.month(&word.lower).is_none()
        && !lexicon.is_day(&word.lower)
}

/// The word is the first of its sentence, line or cell, so that its capital says nothing.
fn opens_sentence(text: &str, tokens: &[Word], idx: usize) -> bool {
    let Some(before) = idx.checked_sub(1) else {
        return true;
    };
    text[tokens[before].range.end..tokens[idx].range.start]
        .contains(['.', '!', '?', ':', '|', '“', '"', '#', '>', '•'])
}

/// A verb form may open a sentence right before a name: "Repainting X took", "Visit X".
fn may_open(lower: &str) -> bool {
    let is_verb_form = lower.ends_with("ing") || lower.ends_with("ed");
    is_verb_form
        || matches!(
            lower,
            "ask" | "visit" | "see" | "call" | "join" | "use" | "run" | "start" | "contact"
        )
}

/// A run of words with capitals in a question, as word indices.
pub(crate) fn name_runs(question: &Question) -> Vec<Range<usize>> {
    let tokens = &question.words;
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut idx = 0;
    while idx < tokens.len() {
        if question.ask.contains(&idx) || !starts_run(question, idx) {
            idx += 1;
            continue;
        }
        let mut end = idx + 1;
        while tokens.get(end).is_some_and(|next| {
            (is_name_word(next) || next.digit) && adjacent(&question.text, &tokens[end - 1], next)
        }) {
            end += 1;
        }
        runs.push(idx..end);
        idx = end;
    }
    runs
}

fn starts_run(question: &Question, idx: usize) -> bool {
    let word = &question.words[idx];
    if !is_name_word(word) {
        return false;
    }
    // The first word of a question has its capital from its place, unless the name goes on behind it.
    let opens = opens_sentence(&question.text, &question.words, idx);
    !opens
        || question
            .words
            .get(idx + 1)
            .is_some_and(|next| is_name_word(next) || next.digit)
        || word.lower.contains('-')
}

/// Text of a run of words, as it stands in the question.
pub(crate) fn run_text(question: &Question, run: &Range<usize>) -> String {
    let start = question.words[run.start].range.start;
    let last = &question.words[run.end - 1];
    let slice = &question.text[start..last.range.end];
    slice.trim_end_matches("'s").trim_end_matches("’s").to_owned()
}

/// The title of the document or the heading above the passage names the subject.
pub(crate) fn is_titled(subject: &Subject, passage: &Passage) -> bool {
    !subject.occurrences(&passage.title, Place::Title).is_empty()
        || passage
            .heading
            .as_deref()
            .is_some_and(|heading| !subject.occurrences(heading, Place::Title).is_empty())
}

/// "What was lot 5206 …?": the question asks what the subject itself is.
pub(crate) fn defines(question: &Question, subject: &Subject) -> bool {
    let rest = question.words[question.ask.end..]
        .iter()
        .skip_while(|word| question.is_stop(word));
    subject
        .parts()
        .iter()
        .zip(rest)
        .all(|(part, word)| *part == word.lower)
}
