//! Finds the subject of a question with the help of the corpus.
//!
//! The one function is [`resolve`]. Names come from capitals; where a script has none, from what question
//! and titles share. It gives the subject or the name that no document holds; it judges no sentence.

use std::collections::HashMap;
use std::ops::Range;

use super::question::Question;
use super::subject::{Place, Subject, SubjectForm, name_runs, run_text};
use super::text::{is_cjk, is_han, likeness, words};
use crate::corpus::{Corpus, CorpusError, Hit, PassageQuery};

/// Passages looked at to learn how a name is used.
const SAMPLE: usize = 60;

/// What the question is about.
#[derive(Debug)]
pub(crate) enum Resolution {
    Subject(Subject),
    /// Nothing with a name; every word counts alike.
    Open,
    /// Something that no document names.
    Absent,
}

/// Settles what a question is about.
pub(crate) fn resolve(corpus: &dyn Corpus, question: &Question) -> Result<Resolution, CorpusError> {
    if question.uncased {
        return resolve_uncased(corpus, question);
    }
    if let Some(subject) = identified_subject(corpus, question)? {
        return Ok(Resolution::Subject(subject));
    }
    let runs = name_runs(question);
    if runs.is_empty() || question.language.code == "de" && runs.iter().all(|run| run.len() == 1) {
        return if runs.is_empty() {
            resolve_phrase(corpus, question)
        } else {
            resolve_noun(corpus, question, &runs)
        };
    }
    let mut ranked: Vec<(usize, usize, Range<usize>)> = Vec::new();
    for (order, run) in runs.iter().enumerate() {
        ranked.push((run.len(), order, run.clone()));
    }
    ranked.sort_by_key(|(n_words, order, _)| (std::cmp::Reverse(*n_words), std::cmp::Reverse(*order)));
    let run = ranked.swap_remove(0).2;
    let text = run_text(question, &run);
    let hits = sample(corpus, &text)?;
    let mut subject = Subject::new(&text, SubjectForm::Name);
    if !is_named(&subject, &hits) {
        return Ok(Resolution::Absent);
    }
    if let Some(longer) = with_head_noun(question, &run, &subject, &hits) {
        subject = longer;
    }
    let whole = hits.iter().any(|hit| {
        !subject.occurrences(&hit.passage.text, Place::Sentence).is_empty()
            || !subject.occurrences(&hit.passage.title, Place::Title).is_empty()
    });
    Ok(if whole {
        Resolution::Subject(subject)
    } else {
        Resolution::Absent
    })
}

/// "lot 5206": a plain noun with a number names one thing.
fn identified_subject(corpus: &dyn Corpus, question: &Question) -> Result<Option<Subject>, CorpusError> {
    for pair in question
        .words
        .windows(2)
        .filter(|pair| question.identifiers.contains(&pair[1].lower))
    {
        let text = &question.text[pair[0].range.start..pair[1].range.end];
        let subject = Subject::new(text, SubjectForm::Phrase);
        let hits = sample(corpus, text)?;
        if hits
            .iter()
            .any(|hit| !subject.occurrences(&hit.passage.text, Place::Title).is_empty())
        {
            return Ok(Some(subject));
        }
    }
    Ok(None)
}

fn sample(corpus: &dyn Corpus, phrase: &str) -> Result<Vec<Hit>, CorpusError> {
    corpus.search(&PassageQuery {
        phrases: vec![phrase.to_owned()],
        terms: Vec::new(),
        limit: SAMPLE,
    })
}

fn is_named(subject: &Subject, hits: &[Hit]) -> bool {
    hits.iter().any(|hit| {
        [&hit.passage.text, &hit.passage.title]
            .into_iter()
            .chain(hit.passage.heading.as_ref())
            .any(|text| !subject.occurrences(text, Place::Title).is_empty())
    })
}

/// Adds the plain noun behind a name ("… station") where the documents mostly write it so.
fn with_head_noun(
    question: &Question,
    run: &Range<usize>,
    subject: &Subject,
    hits: &[Hit],
) -> Option<Subject> {
    let next = question
        .words
        .get(run.end)
        .filter(|word| !question.is_stop(word) && !word.digit)?;
    let mut n_follow: HashMap<String, usize> = HashMap::new();
    let mut n_all = 0;
    for hit in hits {
        let text = &hit.passage.text;
        let tokens = words(text);
        for found in subject.occurrences(text, Place::Title) {
            let Some(after) = tokens.iter().find(|word| word.range.start >= found.end) else {
                continue;
            };
            if after.capital && !after.lower.eq(&next.lower) {
                continue;
            }
            n_all += 1;
            *n_follow.entry(after.lower.clone()).or_default() += 1;
        }
    }
    let n_next = n_follow.get(&next.lower).copied().unwrap_or(0);
    (n_next * 5 >= n_all * 2 && n_next > 0)
        .then(|| Subject::new(&run_text(question, &(run.start..run.end + 1)), SubjectForm::Name))
}

/// German writes every noun with a capital: the noun that titles name, else the last one after a preposition.
fn resolve_noun(
    corpus: &dyn Corpus,
    question: &Question,
    runs: &[Range<usize>],
) -> Result<Resolution, CorpusError> {
    let mut best: Option<(usize, Subject)> = None;
    for run in runs {
        let subject = Subject::new(&run_text(question, run), SubjectForm::Noun);
        let hits = sample(corpus, &subject.text)?;
        let n_titles = hits
            .iter()
            .filter(|hit| !subject.occurrences(&hit.passage.title, Place::Title).is_empty())
            .count();
        if !is_named(&subject, &hits) || n_titles == 0 {
            continue;
        }
        if best.as_ref().is_none_or(|(n_best, _)| n_titles >= *n_best) {
            best = Some((n_titles, subject));
        }
    }
    if let Some((_, subject)) = best {
        return Ok(Resolution::Subject(subject));
    }
    let last = runs
        .iter()
        .rev()
        .find(|run| run.start > 0 && question.is_stop(&question.words[run.start - 1]));
    let Some(last) = last else {
        return Ok(Resolution::Open);
    };
    let subject = Subject::new(&run_text(question, last), SubjectForm::Noun);
    let hits = sample(corpus, &subject.text)?;
    Ok(if is_named(&subject, &hits) {
        Resolution::Subject(subject)
    } else {
        Resolution::Absent
    })
}

/// Without a name: the plain words after "the", or a word with a hyphen or underscore.
fn resolve_phrase(corpus: &dyn Corpus, question: &Question) -> Result<Resolution, CorpusError> {
    let tokens = &question.words;
    let mut best: Option<Subject> = None;
    for (idx, word) in tokens.iter().enumerate() {
        let is_article = matches!(word.lower.as_str(), "the" | "this" | "our");
        if !is_article {
            continue;
        }
        let n_plain = tokens[idx + 1..]
            .iter()
            .take(4)
            .take_while(|word| !question.is_stop(word))
            .count();
        for n_words in (2..=n_plain).rev() {
            let text = run_text(question, &(idx + 1..idx + 1 + n_words));
            let subject = Subject::new(&text, SubjectForm::Phrase);
            if is_named(&subject, &sample(corpus, &text)?) {
                if best
                    .as_ref()
                    .is_none_or(|best| best.parts().len() <= subject.parts().len())
                {
                    best = Some(subject);
                }
                break;
            }
        }
    }
    if let Some(subject) = best {
        return Ok(Resolution::Subject(subject));
    }
    for word in tokens.iter().filter(|word| word.lower.contains(['-', '_'])) {
        let text = &question.text[word.range.clone()];
        let subject = Subject::new(text, SubjectForm::Phrase);
        if is_named(&subject, &sample(corpus, text)?) {
            return Ok(Resolution::Subject(subject));
        }
    }
    Ok(Resolution::Open)
}

/// Without capitals: the longest thing that the question shares with a title, else with a text.
fn resolve_uncased(corpus: &dyn Corpus, question: &Question) -> Result<Resolution, CorpusError> {
    let is_characters = question.words.iter().any(|word| word.cjk);
    let terms = if is_characters {
        chunks(question)
    } else {
        question.words.iter().map(|word| word.lower.clone()).collect()
    };
    let hits = corpus.search(&PassageQuery {
        phrases: Vec::new(),
        terms: terms.clone(),
        limit: SAMPLE,
    })?;
    let longest_in = |text_of: fn(&Hit) -> &String| {
        let mut best: Option<(Subject, usize)> = None;
        for hit in &hits {
            let text = text_of(hit);
            let shared = if is_characters {
                shared_characters(&terms, text)
            } else {
                shared_words(question, text)
            };
            let Some((subject, length)) = shared else { continue };
            if best.as_ref().is_none_or(|(_, best_length)| *best_length < length) {
                best = Some((subject, length));
            }
        }
        best
    };
    // A title names what a document is about; a text may share whole clauses with the question.
    let best = longest_in(|hit| &hit.passage.title).or_else(|| longest_in(|hit| &hit.passage.text));
    let Some((subject, _)) = best else {
        return Ok(Resolution::Absent);
    };
    Ok(Resolution::Subject(subject))
}

/// Pieces of a question between its function words, without the wh-phrase.
pub(crate) fn chunks(question: &Question) -> Vec<String> {
    let mut text = question.text.clone();
    text.replace_range(question.ask_bytes.clone(), " ");
    let mut stops: Vec<&String> = question.language.stop.iter().collect();
    stops.sort_by_key(|stop| std::cmp::Reverse(stop.len()));
    let mut pieces = Vec::new();
    for word in words(&text).into_iter().filter(|word| word.cjk) {
        let slice = &text[word.range];
        let mut current = String::new();
        let mut rest = slice;
        while let Some(c) = rest.chars().next() {
            let stop = stops.iter().find(|stop| rest.starts_with(stop.as_str()));
            // A particle inside kana is more likely a part of the word ("みなと") than a particle.
            let is_inside_kana = stop.is_some() && !is_han(c) && question.language.code == "ja" && {
                let before = current.chars().next_back();
                let after = stop.and_then(|stop| rest[stop.len()..].chars().next());
                before.is_none()
                    || (before.is_some_and(|c| !is_han(c)) && after.is_some_and(|c| !is_han(c)))
                    || (before.is_some_and(|c| !is_han(c))
                        && current.chars().all(|c| !is_han(c))
                        && after.is_some_and(is_han))
            };
            match stop.filter(|_| !is_inside_kana) {
                Some(stop) => {
                    pieces.push(std::mem::take(&mut current));
                    rest = &rest[stop.len()..];
                }
                None => {
                    current.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        pieces.push(current);
    }
    pieces.retain(|piece| piece.chars().count() > 1);
    pieces
}

/// The longest beginning of a piece of the question that stands in the text as a name.
fn shared_characters(pieces: &[String], text: &str) -> Option<(Subject, usize)> {
    let mut best: Option<(Subject, usize)> = None;
    // A verb may stand before the name without a space; the start of a title shows where the name begins.
    let inner = pieces
        .iter()
        .flat_map(|piece| piece.char_indices().skip(1).map(|(at, _)| &piece[at..]));
    let inner = inner.filter(|tail| text.trim_start().chars().take(3).eq(tail.chars().take(3)));
    for piece in pieces.iter().map(String::as_str).chain(inner) {
        let ends: Vec<usize> = piece.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        for (n_before, end) in ends.iter().enumerate().rev() {
            let n_chars = n_before + 1;
            if n_chars < 3 || best.as_ref().is_some_and(|(_, n_best)| *n_best >= n_chars) {
                break;
            }
            let subject = Subject::new(&piece[..*end], SubjectForm::Characters);
            if piece[..*end].chars().filter(|c| is_cjk(*c)).count() == n_chars
                && !subject.occurrences(text, Place::Title).is_empty()
            {
                best = Some((subject, n_chars));
                break;
            }
        }
    }
    best
}

/// The longest run of words that question and text share.
fn shared_words(question: &Question, text: &str) -> Option<(Subject, usize)> {
    let tokens = words(text);
    let asked: Vec<_> = question
        .words
        .iter()
        .enumerate()
        .filter(|(idx, _)| !question.ask.contains(idx))
        .map(|(_, word)| word)
        .collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for start in 0..asked.len() {
        for at in 0..tokens.len() {
            let n_same = asked[start..]
                .iter()
                .zip(&tokens[at..])
                .take_while(|(left, right)| {
                    likeness(&left.lower, &right.lower) > 0.8 && !question.is_stop(left)
                })
                .count();
            let n_chars: usize = asked[start..start + n_same]
                .iter()
                .map(|word| word.lower.chars().count())
                .sum();
            if n_same > 0 && (n_same > 1 || n_chars >= 4) && best.is_none_or(|(n_best, ..)| n_same > n_best) {
                best = Some((n_same, at, start));
            }
        }
    }
    let (n_same, at, _) = best?;
    let name = &text[tokens[at].range.start..tokens[at + n_same - 1].range.end];
    Some((Subject::new(name, SubjectForm::Uncased), n_same * 3))
}
