//! Holds every cited sentence against its quotes: [`held_to_quotes`].
//!
//! A model may quote a source correctly and paraphrase it wrongly. A cited sentence stays only if each of these
//! is in its quotes, too:
//!
//! - every number, with the same bound (at least, at most) and the same unit;
//! - every name and identifier, unless it is in the question or in the document's title or path;
//! - a negation: neither added nor dropped.
//!
//! Otherwise the quotes themselves take the place of the sentence.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::figures::{self, Figure, figures};
use super::markers::{marks, renumber, unmarked_quote};
use super::{Citation, Grade};
use crate::corpus::BlockKind;
use crate::offline::sentence_ranges;

/// Words that negate a sentence. Scripts without spaces are searched for the characters below.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "cannot",
    "without",
    "neither",
    "nor",
    "nothing",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nie",
    "niemals",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "sin",
    "ningún",
    "ninguna",
    "не",
    "нет",
    "никогда",
];
const NEGATING_CHARACTERS: &[&str] = &["不", "没", "無", "未", "ない", "ません", "않", "없"];

/// The text with every unsupported sentence replaced by its quotes, and how many were.
pub(super) fn held_to_quotes(text: &str, question: &str, citations: &[Citation]) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut n_replaced = 0;
    let mut quoted = BTreeSet::new();
    for line in text.split_inclusive('\n') {
        let (line_start, mut at) = (out.len(), 0);
        let mut is_repetition = false;
        for (start, end) in claims_of(line) {
            out.push_str(&line[at..start]);
            at = end;
            let claim = &line[start..end];
            let numbers = marks(claim);
            let is_cited = |it: &&Citation| it.grade == Grade::Verified && numbers.contains(&it.number);
            let cited: Vec<&Citation> = citations.iter().filter(is_cited).collect();
            if cited.is_empty() || is_supported(claim, question, &cited) {
                out.push_str(claim);
                continue;
            }
            n_replaced += 1;
            let list_mark = claim.len() - claim.trim_start_matches(LIST_MARKS).len();
            out.push_str(&claim[..list_mark]);
            let mut is_first = true;
            for citation in cited {
                // A quote that is there already is not repeated.
                if quoted.insert(citation.number) {
                    let space = if is_first { "" } else { " " };
                    let _ = write!(
                        out,
                        "{space}\"{}\" [{}]",
                        unmarked_quote(&citation.span),
                        citation.number
                    );
                    is_first = false;
                }
            }
            is_repetition |= is_first;
        }
        out.push_str(&line[at..]);
        // A line of which only repeated quotes would be left goes with them.
        if is_repetition && !out[line_start..].contains(char::is_alphabetic) {
            out.truncate(line_start);
        }
    }
    (out, n_replaced)
}

/// What may stand before a sentence in Markdown.
const LIST_MARKS: &[char] = &['-', '*', '+', '#', '>', ' '];

/// The sentences of a line; markers that follow a full stop belong to the sentence before them.
fn claims_of(line: &str) -> Vec<(usize, usize)> {
    let mut claims: Vec<(usize, usize)> = Vec::new();
    for range in sentence_ranges(line, BlockKind::Paragraph) {
        let sentence = &line[range.clone()];
        let rest = sentence.trim_start();
        let n_markers = rest.len() - after_markers(rest).len();
        if n_markers > 0
            && let Some(before) = claims.last_mut()
        {
            let split = range.end - rest.len() + n_markers;
            before.1 = line[..split].trim_end().len();
            let following = line[split..range.end].trim_start();
            if !following.is_empty() {
                claims.push((range.end - following.len(), range.end));
            }
        } else {
            claims.push((range.start, range.end));
        }
    }
    claims
}

/// What follows the markers at the beginning of a text.
fn after_markers(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix('[') {
        let Some((inside, after)) = rest.split_once(']') else {
            break;
        };
        if inside.is_empty() || !inside.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        text = after.trim_start_matches([' ', '.']);
    }
    text
}

fn is_supported(claim: &str, question: &str, cited: &[&Citation]) -> bool {
    let claim = renumber(claim, |_| Vec::new());
    let claim = claim.trim_start_matches(LIST_MARKS);
    let spans: Vec<&str> = cited.iter().map(|it| it.span.as_str()).collect();
    let quote = spans.join("\n");
    // A sentence that is a part of its quote needs no further proof.
    if quote.contains(claim.trim_end_matches(['.', ' '])) {
        return true;
    }
    let known: Vec<Figure> = figures(&quote);
    let names: String = cited
        .iter()
        .flat_map(|it| [it.span.as_str(), &it.title, &it.doc])
        .chain([question])
        .collect::<Vec<_>>()
        .join("\n")
        .to_lowercase();
    figures(claim)
        .iter()
        .all(|figure| known.iter().any(|other| figure.is_said_by(other)))
        && names_in(claim).all(|name| names.contains(&name))
        && has_same_polarity(claim, &spans)
}

/// A negation is in the quotes, and one that all of them have is not left out.
fn has_same_polarity(claim: &str, spans: &[&str]) -> bool {
    let sentences: Vec<&str> = spans
        .iter()
        .flat_map(|span| {
            let ranges = sentence_ranges(span, BlockKind::Paragraph);
            ranges.into_iter().map(|range| &span[range])
        })
        .collect();
    if is_negated(claim) {
        sentences.iter().any(|sentence| is_negated(sentence))
    } else {
        !sentences.iter().all(|sentence| is_negated(sentence))
    }
}

fn is_negated(text: &str) -> bool {
    let text = figures::without_bounds(&text.to_lowercase());
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    words.any(|word| NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
        || NEGATING_CHARACTERS.iter().any(|it| text.contains(it))
}

/// Names and identifiers in lower case: words with a capital, a digit or `_` inside, and capitalised words that
/// do not begin the sentence. German capitalises every noun, so there only identifiers count.
fn names_in(claim: &str) -> impl Iterator<Item = String> + '_ {
    let words = || claim.split(|c: char| !c.is_alphanumeric() && !"_-.".contains(c));
    let has_all_nouns = words().any(|word| GERMAN.contains(&word.to_lowercase().as_str()));
    words()
        .map(|word| word.trim_matches(['-', '.', '_']))
        .filter(|word| !word.is_empty())
        .enumerate()
        .filter(move |(idx, word)| {
            let mut chars = word.chars();
            let is_capitalised = chars.next().is_some_and(char::is_uppercase);
            let has_letters = word.chars().any(char::is_alphabetic);
            let is_identifier = word.is_ascii()
                && has_letters
                && chars.any(|c| c.is_uppercase() || c == '_' || c.is_ascii_digit())
                && !word.starts_with(|c: char| c.is_ascii_digit());
            let is_name = is_capitalised && *idx > 0 && !has_all_nouns && word.chars().count() > 1;
            is_identifier || is_name
        })
        .filter(|(_, word)| figures::month(word).is_none())
        .map(|(_, word)| {
            let word = word.to_lowercase();
            // "Ada's" is Ada, "servers" is a server.
            word.trim_end_matches("'s").trim_end_matches('s').to_owned()
        })
}

/// Frequent words that only German has.
const GERMAN: &[&str] = &[
    "der", "und", "ist", "nicht", "ein", "eine", "für", "mit", "wird", "werden", "auf", "den", "im",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(number: usize, span: &str) -> Citation {
        Citation {
            number,
            doc: "notes/backup.md".to_owned(),
            span: span.to_owned(),
            range: 0..span.len(),
            title: "Backups at Harbour Street".to_owned(),
            date: None,
            grade: Grade::Verified,
            claim: None,
        }
    }

    /// Whether one claim about one quote stays as it is.
    fn stays(quote: &str, claim: &str) -> bool {
        let text = format!("{claim} [1].");
        let (held, n) = held_to_quotes(&text, "How long does Orla keep them?", &[citation(1, quote)]);
        assert_eq!(held == text, n == 0, "{held}");
        assert!(n == 0 || held.starts_with(&format!("\"{quote}\" [1]")), "{held}");
        n == 0
    }

    #[test]
    fn what_a_claim_may_say() {
        for (quote, claim, expected) in [
            (
                "Backups are kept for 35 days.",
                "They keep backups for 35 days",
                true,
            ),
            (
                "Backups are kept for 35 days.",
                "They keep backups for 53 days",
                false,
            ),
            (
                "Backups are kept for 35 days.",
                "They keep backups for 35 hours",
                false,
            ),
            (
                "Backups are kept for 35 days.",
                "Backups stay for more than 35 days",
                false,
            ),
            (
                "Alerts fire above 80 % load.",
                "Alerts fire up to 80 % load",
                false,
            ),
            ("Alerts fire above 80 % load.", "Alerts fire at 80 % load", false),
            (
                "Alerts fire above 80 % load.",
                "Alerts fire at more than 80 percent",
                true,
            ),
            (
                "No more than 4 retries are made.",
                "There are at most four retries",
                true,
            ),
            ("The link is not encrypted.", "The link is encrypted", false),
            ("The link is encrypted.", "The link isn't encrypted", false),
            ("The link is not encrypted.", "The link is never encrypted", true),
            (
                "Mara Lind runs the archive.",
                "The archive is run by Mara Lind",
                true,
            ),
            (
                "Mara Lind runs the archive.",
                "The archive is run by Tom Berg",
                false,
            ),
            // The question and the title name them.
            (
                "She keeps them for a year.",
                "In Harbour Street, Orla keeps them for a year",
                true,
            ),
            ("It opened on 2024-03-09.", "It opened on 9 March 2024", true),
            ("It opened on 2024-03-09.", "It opened on 9 May 2024", false),
            ("The price is 1,250 euros.", "It costs €1250", true),
            ("The price is 1,250 euros.", "It costs $1250", false),
            (
                "MAX_ATTEMPTS limits retries.",
                "Retries are limited by MAX_ATTEMPTS",
                true,
            ),
            (
                "MAX_ATTEMPTS limits retries.",
                "Retries are limited by MAX_RETRIES",
                false,
            ),
            (
                "Die Sicherung bleibt 35 Tage.",
                "Der Bestand ist 35 Tage in der Ablage",
                true,
            ),
            (
                "Die Sicherung bleibt 35 Tage.",
                "Die Sicherung bleibt höchstens 35 Tage",
                false,
            ),
            ("备份保留35天。", "备份最多保留35天", false),
            ("备份保留35天。", "备份会保留35天", true),
        ] {
            assert_eq!(stays(quote, claim), expected, "{quote} / {claim}");
        }
    }

    #[test]
    fn markers_after_the_full_stop_belong_to_the_sentence_before() {
        let citations = [citation(1, "It opened in 1931."), citation(2, "It is 80 m long.")];
        let text = "- It opened in 1932. [1] It is 80 m long. [2]\nNobody says this in 1900.\n";
        let (held, n) = held_to_quotes(text, "", &citations);
        assert_eq!(
            (held.as_str(), n),
            (
                "- \"It opened in 1931.\" [1] It is 80 m long. [2]\nNobody says this in 1900.\n",
                1
            )
        );
    }

    #[test]
    fn a_list_item_that_would_repeat_quotes_goes() {
        let citations = [citation(1, "It opened in 1931.")];
        let text = "- It opened in 1932 [1].\n- In 1933 it opened [1].\n1. Since 1934 [1].\n\nThe end.\n";
        let (held, n) = held_to_quotes(text, "", &citations);
        assert_eq!(
            (held.as_str(), n),
            ("- \"It opened in 1931.\" [1]\n\nThe end.\n", 3)
        );
    }

    #[test]
    fn a_page_that_was_not_fetched_proves_and_refutes_nothing() {
        let unfetched = Citation {
            grade: Grade::Provider,
            ..citation(1, "")
        };
        let text = "It opened in 1931 [1].";
        assert_eq!(held_to_quotes(text, "", &[unfetched]), (text.to_owned(), 0));
    }
}
