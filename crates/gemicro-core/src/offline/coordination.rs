//! Splits one sentence that asks two things: "What is … of X, and who …?"
//!
//! The one function is [`split_coordination`]. It splits only where both halves are clearly questions;
//! in doubt the sentence stays whole.

use super::question::{Question, matched_words};
use super::subject::{name_runs, run_text};
use super::text::Word;

/// The questions in one sentence; the sentence itself when it asks one thing.
pub(crate) fn split_coordination(text: &str) -> Vec<String> {
    let question = Question::read(text);
    if question.uncased || super::bridge::find_bridge(text).is_some() {
        return vec![text.to_owned()];
    }
    two_questions(&question).unwrap_or_else(|| vec![text.to_owned()])
}

fn is_joint(question: &Question, word: &Word) -> bool {
    question.language.follow.joints.contains(&word.lower)
}

/// "What is … of X, and who …?"
fn two_questions(question: &Question) -> Option<Vec<String>> {
    let joint = (question.ask.end.max(2)..question.words.len()).find(|idx| {
        is_joint(question, &question.words[*idx])
            && question
                .words
                .get(idx + 1..)
                .is_some_and(|rest| starts_question(question, rest))
    })?;
    let first_end = question.words[joint - 1].range.end;
    let second_start = question.words[joint + 1].range.start;
    let first = format!("{}?", &question.text[..first_end]);
    let first_read = Question::read(&first);
    if first_read
        .words
        .iter()
        .filter(|word| !first_read.is_stop(word))
        .count()
        < 2
    {
        return None;
    }
    let mut second = question.text[second_start..].to_owned();
    if name_runs(&Question::read(&second)).is_empty() {
        second = super::follow_up::ask_about(&first, &second);
    }
    if name_runs(&Question::read(&second)).is_empty()
        && let Some(run) = name_runs(&first_read)
            .into_iter()
            .max_by_key(ExactSizeIterator::len)
    {
        second = format!(
            "{} at {}?",
            second.trim_end_matches(['?', ' ']),
            run_text(&first_read, &run)
        );
    }
    let mut parts = vec![first];
    parts.extend(split_coordination(&second));
    Some(parts)
}

fn starts_question(question: &Question, rest: &[Word]) -> bool {
    let skip = usize::from(rest.first().is_some_and(|word| {
        matches!(
            word.lower.as_str(),
            "at" | "in" | "for" | "on" | "from" | "by" | "to" | "since" | "until"
        )
    }));
    let Some(rest) = rest.get(skip..) else {
        return false;
    };
    question
        .language
        .asks
        .iter()
        .flat_map(|ask| &ask.words)
        .any(|phrase| matched_words(rest, phrase) > 0)
        && rest.len() > 2
}
