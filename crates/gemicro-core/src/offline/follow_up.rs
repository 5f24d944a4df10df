//! Questions that lean on the one before: "And the same for X?", "How large is it?"
//!
//! [`is_follow_up`] and [`carry_over`] handle a second subject, [`ask_about`] a pronoun. All of it works on
//! words; no document is looked at.

use std::ops::Range;

use super::decompose::PLACEHOLDER;
use super::lexicon::lexicon;
use super::question::{Question, matched_words};
use super::subject::{name_runs, run_text};
use super::text::{is_cjk, words};

/// The piece asks the question before it again, about something else.
pub(crate) fn is_follow_up(piece: &str) -> bool {
    second_subject(piece).is_some()
}

/// What a follow-up is about; `None` when it is a question of its own.
fn second_subject(piece: &str) -> Option<String> {
    let question = Question::read(piece);
    let follow = &question.language.follow;
    let bare = piece.trim().trim_end_matches(['?', '？', '؟', '。', '.', ' ']);
    if question.words.iter().any(|word| word.cjk) {
        let trail = follow
            .trails
            .iter()
            .filter(|trail| bare.ends_with(trail.as_str()))
            .max_by_key(|trail| trail.len())?;
        let lead = follow
            .leads
            .iter()
            .filter(|lead| bare.starts_with(lead.as_str()))
            .max_by_key(|lead| lead.len())
            .map_or(0, String::len);
        let subject = bare[lead..bare.len() - trail.len()].trim_matches([' ', '，', '、', ',']);
        let is_short = subject.chars().count() <= 14 && !subject.is_empty();
        return (is_short && question.ask_bytes.is_empty()).then(|| subject.to_owned());
    }
    let lead = follow
        .leads
        .iter()
        .map(|lead| matched_words(&question.words, lead))
        .max()
        .unwrap_or(0);
    let rest_at = question.words.get(lead)?.range.start;
    let rest = bare.get(rest_at.min(bare.len())..)?.trim();
    let has_ask = !Question::read(rest).ask.is_empty();
    if has_ask || lead == 0 && !question.ask.is_empty() {
        return None;
    }
    let trail = follow
        .trails
        .iter()
        .filter(|trail| rest.ends_with(trail.as_str()))
        .max_by_key(|trail| trail.len());
    let rest = trail.map_or(rest, |trail| rest[..rest.len() - trail.len()].trim_end());
    (!rest.is_empty() && rest.split_whitespace().count() <= 8).then(|| rest.to_owned())
}

/// The question before, about the follow-up's subject.
pub(crate) fn carry_over(previous: &str, piece: &str) -> String {
    let Some(subject) = second_subject(piece) else {
        return piece.to_owned();
    };
    match replaced_range(previous, &subject) {
        Some(range) => format!(
            "{}{}{}",
            &previous[..range.start],
            subject,
            &previous[range.end..]
        ),
        None => format!(
            "{} ({subject})?",
            previous.trim_end_matches(['?', '？', '؟', ' '])
        ),
    }
}

/// Where the old subject stands in the question before.
fn replaced_range(previous: &str, subject: &str) -> Option<Range<usize>> {
    let question = Question::read(previous);
    if subject.chars().any(is_cjk) {
        return replaced_characters(previous, subject);
    }
    let new = words(subject);
    let head = new.last()?;
    let has_article = new
        .first()
        .is_some_and(|word| matches!(word.lower.as_str(), "the" | "der" | "die" | "das"));
    if let Some(run) = name_runs(&question)
        .into_iter()
        .max_by_key(ExactSizeIterator::len)
    {
        let mut range = question.words[run.start].range.start..question.words[run.end - 1].range.end;
        let next = question
            .words
            .get(run.end)
            .filter(|word| !head.capital && word.lower == head.lower);
        if let Some(next) = next {
            range.end = next.range.end;
        }
        let article = run
            .start
            .checked_sub(1)
            .map(|idx| &question.words[idx])
            .filter(|word| word.lower == "the" && has_article);
        if let Some(article) = article {
            range.start = article.range.start;
        }
        return Some(range);
    }
    let at = question.words.iter().position(|word| word.lower == head.lower)?;
    let first = (0..at)
        .rev()
        .find(|idx| question.is_stop(&question.words[*idx]))
        .map_or(0, |idx| {
            if has_article && question.words[idx].lower == "the" {
                idx
            } else {
                idx + 1
            }
        });
    Some(question.words[first].range.start..question.words[at].range.end)
}

/// Two names of one kind end alike: the old one reaches from its piece's start to the shared ending.
fn replaced_characters(previous: &str, subject: &str) -> Option<Range<usize>> {
    let chars: Vec<char> = subject.chars().collect();
    let question = Question::read(previous);
    for skipped in 1..chars.len() {
        let ending: String = chars[skipped..].iter().collect();
        for chunk in super::resolve::chunks(&question) {
            let Some(at) = chunk.find(&ending) else { continue };
            let start = previous.find(&chunk)?;
            return Some(start..start + at + ending.len());
        }
    }
    None
}

/// Puts the name of the question before in for a pronoun.
pub(crate) fn ask_about(previous: &str, piece: &str) -> String {
    let question = Question::read(piece);
    if !name_runs(&question).is_empty() {
        return piece.to_owned();
    }
    let before = Question::read(previous);
    let run = name_runs(&before).into_iter().max_by_key(ExactSizeIterator::len);
    let identifier = || {
        before
            .words
            .iter()
            .position(|word| is_identifier(&word.lower))
            .map(|idx| idx..idx + 1)
    };
    let Some(run) = run.or_else(identifier) else {
        return piece.to_owned();
    };
    let name = run_text(&before, &run);
    for word in &question.words {
        let replacement = match word.lower.as_str() {
            "it" | "they" | "she" | "he" | "them" | "him" => name.clone(),
            "its" | "their" | "his" | "her" => format!("{name}'s"),
            "there" => format!("at {name}"),
            _ => continue,
        };
        if lexicon().language_of(piece).code == "en" {
            return format!(
                "{}{replacement}{}",
                &piece[..word.range.start],
                &piece[word.range.end..]
            );
        }
    }
    piece.to_owned()
}

/// `hw-edi-01`, `max_attempts`: a name without capitals.
fn is_identifier(word: &str) -> bool {
    word.contains('_') || word.contains('-') && word.chars().any(|c| c.is_ascii_digit())
}

/// The question with a place for the answer to the one before, where it asks about that: "how old is she?"
pub(crate) fn about_answer(piece: &str) -> Option<String> {
    let question = Question::read(piece);
    if question.language.code != "en" || !name_runs(&question).is_empty() {
        return None;
    }
    let tokens = &question.words;
    for (idx, word) in tokens.iter().enumerate() {
        let is_this = idx > 0 && matches!(tokens[idx - 1].lower.as_str(), "this" | "that");
        let (start, replacement) = match word.lower.as_str() {
            "person" if is_this => (tokens[idx - 1].range.start, PLACEHOLDER.to_owned()),
            "he" | "she" | "they" | "him" | "them" => (word.range.start, PLACEHOLDER.to_owned()),
            "his" | "her" | "their" => (word.range.start, format!("{PLACEHOLDER}'s")),
            _ => continue,
        };
        return Some(format!(
            "{}{replacement}{}",
            &piece[..start],
            &piece[word.range.end..]
        ));
    }
    None
}
