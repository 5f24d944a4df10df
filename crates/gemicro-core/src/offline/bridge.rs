//! Recognises bridges: "At the place where the papers of X are archived, who is the fire warden?"
//!
//! The one function is [`find_bridge`]. A bridge is a general noun with a relative clause that holds a
//! name, in front of the question or at its end.

use super::decompose::{Hop, PLACEHOLDER};
use super::lexicon::lexicon;
use super::question::{Question, matched_words};
use super::subject::name_runs;
use super::text::{Word, words};

/// The bridge in a question, if it has one.
pub(crate) fn find_bridge(text: &str) -> Option<Hop> {
    let tokens = words(text);
    let follow = &lexicon().language_of(text).follow;
    for at in 1..tokens.len() {
        let Some(n_relative) = follow
            .relatives
            .iter()
            .map(|relative| matched_words(&tokens[at..], relative))
            .max()
            .filter(|n_words| *n_words > 0)
        else {
            continue;
        };
        let Some(noun_start) = described_noun(text, &tokens, at, &follow.nouns) else {
            continue;
        };
        let clause_start = tokens.get(at + n_relative)?.range.start;
        let hop = if starts_question(&tokens, noun_start) {
            leading_clause(text, clause_start)
        } else {
            trailing_clause(text, &tokens, noun_start, clause_start)
        };
        if hop.is_some() {
            return hop;
        }
    }
    None
}

/// Index of the article before the noun that the relative clause describes.
fn described_noun(text: &str, tokens: &[Word], relative: usize, nouns: &[String]) -> Option<usize> {
    let noun = &tokens[relative - 1];
    let gap = &text[noun.range.end..tokens[relative].range.start];
    if gap.contains(['.', '?', ';']) || noun.capital && lexicon().language_of(text).code == "en" {
        return None;
    }
    let article = (relative.saturating_sub(4)..relative)
        .rev()
        .find(|idx| is_article(&tokens[*idx].lower))?;
    let is_general = nouns.contains(&noun.lower);
    let before = article.checked_sub(1).map(|idx| tokens[idx].lower.as_str());
    // "What is the longest key that X accepts": the noun itself is asked for, and there is no bridge.
    let is_asked_for = before.is_some_and(|word| {
        matches!(
            word,
            "is" | "was" | "are" | "were" | "ist" | "war" | "sind" | "what" | "which"
        )
    });
    let after_preposition = before.is_some_and(|word| {
        matches!(
            word,
            "of" | "at"
                | "in"
                | "for"
                | "on"
                | "by"
                | "to"
                | "from"
                | "near"
                | "with"
                | "inside"
                | "von"
                | "bei"
                | "an"
                | "für"
        )
    });
    (!is_asked_for && (is_general || after_preposition) || is_general && article == 0).then_some(article)
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the" | "a" | "an" | "that" | "der" | "die" | "das" | "dem" | "den"
    )
}

fn starts_question(tokens: &[Word], article: usize) -> bool {
    article <= 1
        && tokens.first().is_some_and(|word| lexicon().is_stop(&word.lower))
        && !matches!(
            tokens[0].lower.as_str(),
            "who" | "what" | "which" | "where" | "when" | "how" | "why"
        )
}

/// "At the place where CLAUSE, QUESTION?"
fn leading_clause(text: &str, clause_start: usize) -> Option<Hop> {
    let rest = &text[clause_start..];
    let comma = rest
        .match_indices([',', '，'])
        .find(|(at, _)| !Question::read(&rest[at + 1..]).ask.is_empty())?
        .0;
    let clause = rest[..comma].trim();
    let question = rest[comma + 1..].trim().trim_end_matches(['?', '？']).trim();
    holds_name(clause).then(|| Hop {
        clause: clause.to_owned(),
        question: format!("{question} at {PLACEHOLDER}?"),
    })
}

/// "QUESTION at the place where CLAUSE?"
fn trailing_clause(text: &str, tokens: &[Word], article: usize, clause_start: usize) -> Option<Hop> {
    let before = text[..tokens[article].range.start].trim_end();
    let clause = text[clause_start..]
        .trim()
        .trim_end_matches(['?', '？'])
        .trim_end_matches(',')
        .trim();
    let is_question = !Question::read(before).ask.is_empty();
    (is_question && holds_name(clause) && !holds_name(before)).then(|| Hop {
        clause: clause.to_owned(),
        question: format!("{before} {PLACEHOLDER}?"),
    })
}

/// The clause must name something to start from, or describe it with "the … of".
fn holds_name(clause: &str) -> bool {
    let question = Question::read(&format!("the {clause}"));
    !name_runs(&question).is_empty()
        || question.words.iter().filter(|word| word.lower == "the").count() > 2
        || question.words.iter().any(|word| word.lower.contains('-'))
}
