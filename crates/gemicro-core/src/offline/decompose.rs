//! Splits a question into sub-questions.
//!
//! The main function is [`decompose`], the main type [`SubQuestion`]. It works on the words of the question
//! alone; which documents exist plays no part, so the plan is the same whatever a document says.

use serde::{Deserialize, Serialize};

use super::bridge::find_bridge;
use super::coordination::split_coordination;
use super::follow_up::{about_answer, ask_about, carry_over, is_follow_up};
use super::question::{AnswerType, Question};

/// Stands in an outer question for the name that the first hop finds.
pub(crate) const PLACEHOLDER: &str = "{it}";

/// Questions longer than this are read up to here; nobody asks more in one breath.
const LONGEST_QUESTION: usize = 4_000;

/// One question that can be answered by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubQuestion {
    /// The question, for people and for the search.
    pub text: String,
    /// The kind of answer it expects.
    pub expected: AnswerType,
    /// The bridge it needs, if its subject has to be found first.
    pub hop: Option<Hop>,
}

/// A bridge: a clause that describes something, and the question about that thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// What is known about the thing: "the papers of X are archived"; or a whole question, whose answer is the thing.
    pub clause: String,
    /// The question about it, with `{it}` in its place.
    pub question: String,
}

impl SubQuestion {
    /// Reads one question, without splitting it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let hop = find_bridge(text);
        let outer = hop.as_ref().map_or(text, |hop| hop.question.as_str());
        Self {
            text: text.to_owned(),
            expected: Question::read(outer).expected,
            hop,
        }
    }
}

/// Splits a question into at most `max` sub-questions.
#[must_use]
pub fn decompose(question: &str, max: usize) -> Vec<SubQuestion> {
    let question = clip_question(question.trim());
    if question.is_empty() || max == 0 {
        return Vec::new();
    }
    let mut texts: Vec<String> = Vec::new();
    for piece in pieces(question) {
        let found = match texts.last() {
            Some(previous) if is_follow_up(&piece) => vec![carry_over(previous, &piece)],
            Some(previous) => split_coordination(&ask_about(previous, &piece)),
            None => split_coordination(&piece),
        };
        for text in found {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts.truncate(max);
    let mut questions: Vec<SubQuestion> = texts.iter().map(|text| SubQuestion::new(text)).collect();
    for idx in 1..questions.len() {
        // "Who wrote it, and how much does this person earn?": the second asks about the answer to the first.
        if let Some(question) = about_answer(&questions[idx].text)
            && matches!(
                questions[idx - 1].expected,
                AnswerType::Person | AnswerType::Name | AnswerType::Value
            )
        {
            let clause = questions[idx - 1].text.clone();
            questions[idx].hop = Some(Hop { clause, question });
        }
    }
    questions
}

fn clip_question(question: &str) -> &str {
    &question[..question.floor_char_boundary(LONGEST_QUESTION)]
}

/// Cuts after every question mark.
fn pieces(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    let is_japanese = question.contains("か。");
    for (at, c) in question.char_indices() {
        let is_mark = matches!(c, '?' | '？' | '؟')
            || (is_japanese && c == '。' && question[start..at].ends_with('か'));
        let end = at + c.len_utf8();
        let next = question[end..].chars().next();
        if is_mark && next.is_none_or(|next| next.is_whitespace() || super::text::is_cjk(next)) {
            found.push(question[start..end].trim().to_owned());
            start = end;
        }
    }
    let rest = question[start..].trim();
    if found.is_empty() {
        return vec![question.to_owned()];
    }
    if rest.split_whitespace().count() > 1 || rest.chars().any(super::text::is_cjk) {
        found.push(rest.to_owned());
    }
    found
}
