//! Splits one sentence that asks two things: "… and who …", "the A and the B of X", "of A and of B".
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
    two_questions(&question)
        .or_else(|| two_aspects(&question))
        .or_else(|| two_subjects(&question))
        .unwrap_or_else(|| vec![text.to_owned()])
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

/// "What are the A and the B of X?"
fn two_aspects(question: &Question) -> Option<Vec<String>> {
    let words = &question.words;
    let copula = words
        .get(question.ask.end - usize::from(question.ask.len() > 1))
        .filter(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were"))?;
    let from = words.iter().position(|word| word.range == copula.range)? + 1;
    let preposition =
        (from..words.len()).find(|idx| matches!(words[*idx].lower.as_str(), "of" | "for" | "at" | "in"))?;
    let joint = (from + 1..preposition.saturating_sub(0)).find(|idx| words[*idx].lower == "and")?;
    if words[from..preposition].iter().any(|word| word.capital) || joint + 1 >= preposition {
        return None;
    }
    let head = &question.text[..copula.range.start];
    let verb = if matches!(copula.lower.as_str(), "are" | "is") {
        "is"
    } else {
        "was"
    };
    let tail = &question.text[words[preposition].range.start..];
    let with_article = |aspect: &str| {
        if aspect.starts_with("the ") {
            aspect.to_owned()
        } else {
            format!("the {aspect}")
        }
    };
    let left = &question.text[words[from].range.start..words[joint - 1].range.end];
    let right = &question.text[words[joint + 1].range.start..words[preposition - 1].range.end];
    Some(vec![
        format!("{head}{verb} {} {tail}", with_article(left)),
        format!("{head}{verb} {} {tail}", with_article(right)),
    ])
}

/// "… of Hall A and Hall B": two names of one kind.
fn two_subjects(question: &Question) -> Option<Vec<String>> {
    let words = &question.words;
    let joint = (1..words.len().saturating_sub(1)).find(|idx| words[*idx].lower == "and")?;
    let runs = name_runs(question);
    let (left, right) = (
        runs.iter().rfind(|run| run.end <= joint)?,
        runs.iter().find(|run| run.start > joint)?,
    );
    let left_end = if left.end == joint { left.end } else { left.end + 1 };
    let right_start_gap = right.start - joint - 1;
    let after_right = words.get(right.end);
    let same_head =
        left_end > left.end && after_right.is_some_and(|word| word.lower == words[left.end].lower);
    let right_end = if same_head { right.end + 1 } else { right.end };
    let shares_word = words[left.clone()]
        .iter()
        .any(|word| words[right.clone()].iter().any(|other| other.lower == word.lower));
    let before = left
        .start
        .checked_sub(1)
        .map_or("", |idx| words[idx].lower.as_str());
    let is_pair =
        left_end == joint && right_start_gap <= 2 && (same_head || shares_word && left.end == joint);
    if !is_pair
        || matches!(before, "between" | "from")
        || words[..left.start].iter().any(|word| word.lower == "between")
    {
        return None;
    }
    let text = &question.text;
    let left_bytes = words[left.start].range.start..words[left_end - 1].range.end;
    let right_bytes = words[right.start].range.start..words[right_end - 1].range.end;
    let one = |name: &str| format!("{}{name}{}", &text[..left_bytes.start], &text[right_bytes.end..]);
    Some(vec![
        one(&text[left_bytes.clone()]),
        one(&text[right_bytes.clone()]),
    ])
}
