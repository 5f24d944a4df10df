//! Finds the words in free text by which an agent tells of a crash or an error that is not solved.
//!
//! # Theory of operation
//!
//! A segment of a sentence (see `sentences`) tells of trouble when it holds
//! - what somebody could not do, or what did not happen: "could not be resolved", "does not build";
//! - a word for a crash, a hang, a time limit, or for something unsolved: "segfault", "timed out", "unresolved";
//! - a form of failing beside a test, a build or a number: "two tests fail", "3 failed";
//! - a fault that lasts: "errors remain", "still an error"; or a hope instead of a check: "assuming it is fine";
//! - the words of a tool: `error[E0382]`, "exit code 101".
//!
//! A mention is no report when it is denied ("no crashes"), over ("fixed the crash", "the crash is gone"), or only
//! qualifies ("crash handler"). "Still" and its like take that back. Other languages have a list of phrases, and one of
//! phrases that take them back in the same clause. All lists are in `trouble_words`.
//! In doubt a claim is refused: the agent is asked again, and may say it more plainly.

use super::sentences::{SentenceSegment, sentences};
use super::trouble_words::{
    BREAKERS, CHECK_VERBS, CHECKED, FAILING, FAULTS, FILLERS, FOREIGN_OVER, FOREIGN_TROUBLE, HOPED,
    INABILITY, LACK, LASTING, NEGATORS, OVER, PARTLY, PhraseList, QUALIFIED, TROUBLE, TROUBLE_PHRASES,
    WORK_VERBS,
};

/// How far before a word its denial may stand.
const DENIAL_REACH: usize = 4;

/// A segment with more mentions is not looked at one by one.
const MAX_MENTIONS: usize = 16;

/// The words of a text that tell of trouble, cut to a printable length.
pub(super) fn trouble_excerpt(text: &str) -> Option<String> {
    let text = text.to_lowercase().replace('’', "'");
    let found = words_of_a_tool(&text)
        .or_else(|| english(&text))
        .or_else(|| foreign(&text));
    found.map(|words| words.chars().take(120).collect())
}

/// Whether a text begins with a denial, or says that the trouble is over, and tells of no other.
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

/// Where a segment names a crash, a failure or something unsolved.
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

/// Whether a word is for a test, a build or a tool; a test may stand by its name.
fn is_checked(word: &str) -> bool {
    CHECKED.has(word) || word.starts_with("test_") || word.ends_with("_test")
}

/// Whether a mention is denied, over, or only qualifies what follows.
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

/// "The tests that failed before now pass."
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

/// Whether a segment says that a trouble is over: wholly, and for good.
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

/// Whether a segment is an item of a list, such as the last ones of "no crashes, panics or hangs".
fn is_bare(segment: &SentenceSegment<'_>, at: usize) -> bool {
    let before = &segment[..at];
    before.len() <= 1
        && before.iter().all(|word| ["the", "any", "other"].contains(word))
        && segment.len() <= at + 2
}

/// Whether somebody could not do the work, or it did not come about.
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
            // "The tests were not run": of a thing in the present it is harmless.
            || (matches!(rest[0], "did" | "didn't" | "was" | "wasn't" | "were" | "weren't" | "never")
                && follows(&LACK, &is_check))
    })
}

/// "Not all tests pass", "not every check is green".
fn is_not_all(words: &[&str]) -> bool {
    matches!(words, ["not", "all" | "every" | "each" | "both", ..])
        && words.iter().any(|word| is_checked(word))
        && words
            .iter()
            .any(|word| word.starts_with("pass") || HOPED.has(word))
}

/// Whether a fault is said to be there still.
fn lasts(segment: &SentenceSegment<'_>) -> bool {
    is_lasting(segment)
        && segment
            .iter()
            .position(|word| FAULTS.has(word))
            .is_some_and(|at| !is_denied_before(segment, at))
}

/// Whether something is taken for good without a look.
fn is_hope(segment: &SentenceSegment<'_>) -> bool {
    let supposed = segment
        .iter()
        .position(|word| ["assuming", "assume", "assumed", "hopefully", "presumably"].contains(word));
    supposed.is_some_and(|at| segment[at..].iter().any(|word| HOPED.has(word)))
}

/// Whether a program is said to have ended with another code than 0, or by a signal.
fn is_exit(segment: &SentenceSegment<'_>) -> bool {
    let is_other = |word: &str| word.parse::<i64>().is_ok_and(|code| code != 0);
    segment.windows(3).any(|words| {
        (matches!(words[..2], ["exit", "code" | "status"] | ["exited", "with"]) && is_other(words[2]))
            || (words[0] == "by" && words[1] == "signal")
    }) && !segment.iter().any(|word| OVER.has(word))
}

/// The same for other languages: phrases alone, clause by clause.
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

/// Whether a phrase stands in a clause where a word begins. Some scripts do not part words. At `…` other words may stand.
fn has_phrase(clause: &str, phrase: &str) -> bool {
    let (phrase, later) = phrase.split_once('…').unwrap_or((phrase, ""));
    clause.match_indices(phrase).any(|(at, _)| {
        let before = clause[..at].chars().next_back();
        let is_begun = before.is_none_or(|before| !before.is_alphanumeric() || before > '\u{2e80}');
        is_begun && clause[at + phrase.len()..].contains(later)
    })
}
