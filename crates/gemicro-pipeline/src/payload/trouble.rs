//! Finds phrases in free text by which an agent reports a crash or an unresolved error.
//!
//! # Theory of operation
//!
//! A segment of a sentence (see `sentences`) reports a problem if it contains
//! - an inability, or something that did not happen: "could not be resolved", "does not build";
//! - a word for a crash, a hang, a timeout, or something unresolved: "segfault", "timed out", "unresolved";
//! - a form of "fail" with a test, a build or a number: "two tests fail", "3 failed";
//! - a remaining fault: "errors remain", "still an error"; or an assumption instead of a check: "assuming it is fine";
//! - tool output: `error[E0382]`, "exit code 101".
//!
//! A mention does not count if it is denied ("no crashes"), resolved ("fixed the crash", "the crash is gone"), or a
//! modifier ("crash handler"). "Still" and similar words cancel that. For other languages there is a list of phrases,
//! and a list of phrases that cancel them in the same clause. All lists are in `trouble_words`. In doubt a claim is
//! refused: the agent is asked again, and can be clearer.

use super::sentences::{SentenceSegment, sentences};
use super::trouble_words::{
    BREAKERS, CHECK_VERBS, CHECKED, FAILING, FAULTS, FILLERS, FOREIGN_OVER, FOREIGN_TROUBLE, HOPED,
    INABILITY, LACK, LASTING, NEGATORS, OVER, PARTLY, PhraseList, QUALIFIED, TROUBLE, TROUBLE_PHRASES,
    WORK_VERBS,
};

/// Maximum distance between a denial and the word it denies.
const DENIAL_REACH: usize = 4;

/// Maximum number of mentions in a segment that are examined one by one.
const MAX_MENTIONS: usize = 16;

/// Returns the words that report a problem, cut to a printable length.
pub(super) fn trouble_excerpt(text: &str) -> Option<String> {
    let text = text.to_lowercase().replace('’', "'");
    let found = words_of_a_tool(&text)
        .or_else(|| english(&text))
        .or_else(|| foreign(&text));
    found.map(|words| words.chars().take(120).collect())
}

/// Returns true if a text starts with a denial or says that a problem is resolved, and reports no other problem.
pub(super) fn is_denied(text: &str) -> bool {
    let sentences = sentences(text);
    let mut segments = sentences.iter().flatten();
    let begins_denied = segments
        .clone()
        .find_map(|segment| segment.first())
        .is_some_and(|word| is_negator(word));
    (begins_denied || segments.any(|segment| is_over(segment))) && trouble_excerpt(text).is_none()
}

fn words_of_a_tool(text: &str) -> Option<String> {
    text.contains("error[e").then(|| "error[E".to_owned())
}

fn english(text: &str) -> Option<String> {
    let sentences = sentences(text);
    let is_over_somewhere = sentences.iter().flatten().any(|segment| is_over(segment));
    sentences.iter().find_map(|segments| {
        let mut was_denied = false;
        segments.iter().enumerate().find_map(|(idx, segment)| {
            let is_counted_none = segments.get(idx + 1).is_some_and(|next| {
                let found = next
                    .iter()
                    .skip_while(|word| ["i", "we", "found", "saw"].contains(word));
                found.eq(["none"].iter()) || matches!(next.as_slice(), ["no" | "0" | "zero"])
            });
            let is_harmless = |at: usize| {
                let is_listed = was_denied && is_bare(segment, at);
                let is_known =
                    is_over_somewhere && !is_lasting(segment) && at > 0 && segment[at - 1] == "the";
                is_counted_none || is_listed || is_known || is_taken_back(segment, at)
            };
            let mentions = mentions(segment);
            let is_report =
                mentions.len() > MAX_MENTIONS || mentions.iter().any(|mention| !is_harmless(*mention));
            was_denied = !mentions.is_empty() && !is_report;
            (is_report || mentions_lack(segment) || lasts(segment) || is_hope(segment) || is_exit(segment))
                .then(|| segment.join(" "))
        })
    })
}

/// Returns the positions in a segment that mention a crash, a failure or something unresolved.
fn mentions(segment: &SentenceSegment<'_>) -> Vec<usize> {
    let is_about_checks = segment.iter().any(|word| is_checked(word));
    let is_mention = |at: &usize| {
        let rest = &segment[*at..];
        let is_counted = *at > 0 && segment[at - 1].parse::<u64>().is_ok();
        TROUBLE.has(rest[0])
            || TROUBLE_PHRASES.beginnings(rest).next().is_some()
            || (FAILING.has(rest[0]) && (is_counted || is_about_checks))
    };
    (0..segment.len()).filter(is_mention).collect()
}

/// Returns true for a test, a build or a tool, including names of tests.
fn is_checked(word: &str) -> bool {
    CHECKED.has(word) || word.starts_with("test_") || word.ends_with("_test")
}

/// Returns true if a mention is denied, resolved, or a modifier of the next word.
fn is_taken_back(segment: &SentenceSegment<'_>, at: usize) -> bool {
    let is_qualifier =
        !FAILING.has(segment[at]) && segment.get(at + 1).is_some_and(|next| QUALIFIED.has(next));
    let is_not_seen = segment[at..].windows(2).any(|pair| {
        is_negator(pair[0])
            && ["observed", "seen", "reproduc", "happen", "occur", "found"]
                .iter()
                .any(|stem| pair[1].starts_with(stem))
    });
    let has_test_for = segment[..at]
        .iter()
        .any(|word| *word == "for" || *word == "covers")
        && segment[..at].iter().any(|word| word.starts_with("test"));
    is_qualifier
        || is_denied_before(segment, at)
        || is_not_seen
        || is_over(segment)
        || has_test_for
        || is_good_now(segment, at)
}

/// Recognises "the tests that failed before now pass".
fn is_good_now(segment: &SentenceSegment<'_>, at: usize) -> bool {
    let mut after = segment[at..].windows(2);
    after.any(|words| words[0] == "now" && HOPED.has(words[1]))
        && !segment[at..].iter().any(|word| is_negator(word))
        && !segment.iter().any(|word| PARTLY.has(word))
        && !is_lasting(segment)
}

fn is_denied_before(segment: &SentenceSegment<'_>, at: usize) -> bool {
    let near = &segment[at.saturating_sub(DENIAL_REACH)..at];
    near.iter()
        .rev()
        .take_while(|word| !BREAKERS.has(word))
        .any(|word| is_negator(word))
}

fn is_negator(word: &str) -> bool {
    NEGATORS.has(word) || word.ends_with("n't")
}

/// Returns true if a segment says that a problem is completely resolved.
fn is_over(segment: &SentenceSegment<'_>) -> bool {
    let is_part = segment
        .windows(3)
        .any(|words| words[1] == "of" && words[0].parse::<u64>().is_ok());
    segment.iter().any(|word| OVER.has(word))
        && !segment.iter().any(|word| PARTLY.has(word))
        && !is_part
        && !is_lasting(segment)
        && !mentions_lack(segment)
}

fn is_lasting(segment: &SentenceSegment<'_>) -> bool {
    segment.iter().any(|word| LASTING.has(word))
}

/// Returns true for an item of a list, such as the last ones of "no crashes, panics or hangs".
fn is_bare(segment: &SentenceSegment<'_>, at: usize) -> bool {
    let before = &segment[..at];
    before.len() <= 1
        && before.iter().all(|word| ["the", "any", "other"].contains(word))
        && segment.len() <= at + 2
}

/// Returns true if the work could not be done or did not happen.
fn mentions_lack(segment: &SentenceSegment<'_>) -> bool {
    (0..segment.len()).any(|at| {
        let rest = &segment[at..];
        let follows = |beginnings: &PhraseList, is_verb: &dyn Fn(&str) -> bool| {
            beginnings.beginnings(rest).any(|n_words| {
                let mut words = rest[n_words..].iter();
                words
                    .find(|word| !FILLERS.has(word))
                    .is_some_and(|word| is_verb(word))
            })
        };
        let is_work = |word: &str| WORK_VERBS.has_stem_of(word);
        let is_check = |word: &str| CHECK_VERBS.has_stem_of(word);
        follows(&INABILITY, &|word| is_work(word) || is_check(word))
            || follows(&LACK, &is_work)
            || is_not_all(rest)
            // "The tests were not run". In the present tense it is harmless.
            || (matches!(rest[0], "did" | "didn't" | "was" | "wasn't" | "were" | "weren't" | "never")
                && follows(&LACK, &is_check))
    })
}

/// Recognises "not all tests pass" and "not every check is green".
fn is_not_all(words: &[&str]) -> bool {
    matches!(words, ["not", "all" | "every" | "each" | "both", ..])
        && words.iter().any(|word| is_checked(word))
        && words
            .iter()
            .any(|word| word.starts_with("pass") || HOPED.has(word))
}

/// Returns true if a fault is said to remain.
fn lasts(segment: &SentenceSegment<'_>) -> bool {
    is_lasting(segment)
        && segment
            .iter()
            .position(|word| FAULTS.has(word))
            .is_some_and(|at| !is_denied_before(segment, at))
}

/// Returns true if success is assumed without a check.
fn is_hope(segment: &SentenceSegment<'_>) -> bool {
    let supposed = segment
        .iter()
        .position(|word| ["assuming", "assume", "assumed", "hopefully", "presumably"].contains(word));
    supposed.is_some_and(|at| segment[at..].iter().any(|word| HOPED.has(word)))
}

/// Returns true if a program is said to have ended with a non-zero code or by a signal.
fn is_exit(segment: &SentenceSegment<'_>) -> bool {
    let is_other = |word: &str| word.parse::<i64>().is_ok_and(|code| code != 0);
    segment.windows(3).any(|words| {
        (matches!(words[..2], ["exit", "code" | "status"] | ["exited", "with"]) && is_other(words[2]))
            || (words[0] == "by" && words[1] == "signal")
    }) && !segment.iter().any(|word| OVER.has(word))
}

/// Finds problem phrases of other languages, clause by clause.
fn foreign(text: &str) -> Option<String> {
    let clauses = text.split(['.', ';', '!', '?', '\n', ',', '。', '；', '！', '？', '，', '、']);
    clauses
        .map(|clause| format!("{} ", clause.trim()))
        .find(|clause| {
            FOREIGN_TROUBLE
                .phrases()
                .any(|phrase| has_phrase(clause, &phrase))
                && !FOREIGN_OVER.phrases().any(|phrase| clause.contains(&phrase))
        })
        .map(|clause| clause.trim_end().to_owned())
}

/// Returns true if a clause contains a phrase at the start of a word. Scripts without spaces match anywhere. `…` stands
/// for any words.
fn has_phrase(clause: &str, phrase: &str) -> bool {
    let (phrase, later) = phrase.split_once('…').unwrap_or((phrase, ""));
    clause.match_indices(phrase).any(|(at, _)| {
        let before = clause[..at].chars().next_back();
        let is_begun = before.is_none_or(|before| !before.is_alphanumeric() || before > '\u{2e80}');
        is_begun && clause[at + phrase.len()..].contains(later)
    })
}
