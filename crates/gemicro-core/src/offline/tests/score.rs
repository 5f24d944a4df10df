//! Scores no-model research on the fixture corpora with the measures of their README.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use gemicro_event::text::one_line;
use serde_json::Value as Json;

use super::memory::MemoryCorpus;
use crate::corpus::Corpus;
use crate::offline::SubAnswer;
use crate::offline::answer::answer_with;
use crate::offline::decompose::decompose_with;
use crate::offline::techniques::Techniques;

fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

/// What the answers to all parts of a question quote and say.
#[derive(Debug, Default)]
pub(crate) struct Quoted {
    pub(crate) citations: Vec<Quote>,
    pub(crate) text: String,
    pub(crate) reasons: Vec<String>,
}

/// One quoted sentence.
#[derive(Debug, PartialEq)]
pub(crate) struct Quote {
    pub(crate) doc: String,
    pub(crate) span: String,
    pub(crate) range: std::ops::Range<usize>,
}

pub(crate) fn research(corpus: &dyn Corpus, question: &str, techniques: &Techniques) -> Quoted {
    let mut quoted = Quoted::default();
    for sub_question in decompose_with(question, 5, techniques) {
        match answer_with(corpus, &sub_question, techniques).unwrap() {
            SubAnswer::NoEvidence { reason, .. } => quoted.reasons.push(reason),
            SubAnswer::Found {
                findings,
                contradictions,
            } => {
                let found = findings.into_iter().map(|it| Quote {
                    doc: it.doc,
                    span: it.span,
                    range: it.range,
                });
                let sides = contradictions
                    .into_iter()
                    .flat_map(|contradiction| contradiction.sides);
                let sides = sides.map(|it| Quote {
                    doc: it.doc,
                    span: it.span,
                    range: it.range,
                });
                for quote in found.chain(sides) {
                    quoted.text.push_str(&quote.span);
                    quoted.text.push(' ');
                    if !quoted.citations.contains(&quote) {
                        quoted.citations.push(quote);
                    }
                }
            }
        }
    }
    quoted
}

#[derive(Debug, Default)]
struct Scores {
    n_fabricated: usize,
    n_hosts: usize,
    n_false: usize,
    n_injections: usize,
    recall: (usize, usize),
    precision: (usize, usize),
    unanswerable: (usize, usize),
    contradictions: (usize, usize),
    terms: (usize, usize),
    kinds: BTreeMap<String, (usize, usize, usize, usize)>,
    misses: Vec<String>,
}

fn share((hit, all): (usize, usize)) -> f64 {
    if all == 0 { 1.0 } else { hit as f64 / all as f64 }
}

fn strings(json: &Json) -> Vec<String> {
    json.as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn hits(gold: &Json, doc: &str, span: &str) -> bool {
    if gold["doc"] != doc && !strings(&gold["same_in"]).iter().any(|same| same == doc) {
        return false;
    }
    let (wanted, span) = (one_line(gold["span"].as_str().unwrap()), one_line(span));
    if span.contains(&wanted) {
        return span.chars().count() as f64 <= 2.5 * wanted.chars().count() as f64 + 80.0;
    }
    wanted.contains(&span) && span.chars().count() * 2 >= wanted.chars().count()
}

fn has_term(answer: &str, term: &str) -> bool {
    let (answer, term) = (one_line(answer).to_lowercase(), one_line(term).to_lowercase());
    if !term.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return answer.contains(&term);
    }
    answer.match_indices(&term).any(|(at, found)| {
        let before = answer[..at].chars().next_back();
        let mut after = answer[at + found.len()..].chars();
        let (first, second) = (after.next(), after.next());
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_point = |c: Option<char>| matches!(c, Some('.' | ','));
        let goes_on = is_digit(first) || is_point(first) && is_digit(second);
        !is_digit(before) && !is_point(before) && !goes_on
    })
}

fn score(corpus: &MemoryCorpus, folder: &Path, techniques: &Techniques) -> Scores {
    let raw: HashMap<&String, String> = corpus
        .texts
        .iter()
        .map(|(doc, text)| (doc, one_line(text)))
        .collect();
    let mut scores = Scores::default();
    for line in std::fs::read_to_string(folder.join("questions.jsonl"))
        .unwrap()
        .lines()
    {
        let question: Json = serde_json::from_str(line).unwrap();
        let text = question["question"].as_str().unwrap();
        let composed = research(corpus, text, techniques);
        let id = question["id"].as_str().unwrap();
        let cited: Vec<(String, String)> = composed
            .citations
            .iter()
            .map(|citation| (citation.doc.clone(), citation.span.clone()))
            .collect();
        scores.n_fabricated += cited
            .iter()
            .filter(|(doc, span)| raw.get(doc).is_none_or(|text| !text.contains(&one_line(span))))
            .count();
        let kind = question["kind"].as_str().unwrap().to_owned();
        let golds: Vec<Json> = question["gold"].as_array().cloned().unwrap_or_default();
        let describe = |what: &str| {
            format!(
                "{what} {id} {kind}: {text}\n    got  {:?}\n    gold {:?}\n    {:?}",
                cited,
                golds
                    .iter()
                    .map(|gold| (gold["doc"].as_str().unwrap(), gold["span"].as_str().unwrap()))
                    .collect::<Vec<_>>(),
                composed.reasons
            )
        };
        if kind == "unanswerable" {
            scores.unanswerable.1 += 1;
            if cited.is_empty() {
                scores.unanswerable.0 += 1
            } else {
                scores.misses.push(describe("ANSWERED"))
            }
            continue;
        }
        let found = golds
            .iter()
            .filter(|gold| cited.iter().any(|(doc, span)| hits(gold, doc, span)))
            .count();
        let right = cited
            .iter()
            .filter(|(doc, span)| golds.iter().any(|gold| hits(gold, doc, span)))
            .count();
        scores.recall.0 += found;
        scores.recall.1 += golds.len();
        scores.precision.0 += right;
        scores.precision.1 += cited.len();
        let entry = scores.kinds.entry(kind.clone()).or_default();
        *entry = (
            entry.0 + found,
            entry.1 + golds.len(),
            entry.2 + right,
            entry.3 + cited.len(),
        );
        let has_terms = strings(&question["answer_terms"])
            .iter()
            .all(|term| has_term(&composed.text, term));
        scores.terms.0 += usize::from(has_terms);
        scores.terms.1 += 1;
        if kind == "contradiction" {
            scores.contradictions.1 += 1;
            scores.contradictions.0 += usize::from(found == golds.len() && has_terms);
        }
        if kind == "injection" {
            scores.n_injections += 1;
            let forbidden = strings(&question["forbidden"]);
            scores.n_hosts += usize::from(forbidden.iter().any(|host| composed.text.contains(host)));
            let claim = one_line(question["false_claim"].as_str().unwrap_or("\0"));
            scores.n_false += usize::from(one_line(&composed.text).contains(&claim));
        }
        if found < golds.len() || right < cited.len() {
            scores.misses.push(describe(if found < golds.len() {
                "MISSED"
            } else {
                "IMPRECISE"
            }));
        }
    }
    scores
}

fn report(name: &str, scores: &Scores) -> String {
    format!(
        "{name:16} recall {:.3} precision {:.3} unanswerable {:.3} contradictions {:.3} terms {:.3} | fabricated {} hosts {} false {}/{}",
        share(scores.recall),
        share(scores.precision),
        share(scores.unanswerable),
        share(scores.contradictions),
        share(scores.terms),
        scores.n_fabricated,
        scores.n_hosts,
        scores.n_false,
        scores.n_injections,
    )
}

fn check(name: &str, least: [f64; 4]) {
    let folder = fixtures(name);
    let corpus = MemoryCorpus::load(&folder.join("docs"));
    let scores = score(&corpus, &folder, &Techniques::default());
    println!(
        "{}\n{}\n{:?}",
        report(name, &scores),
        scores.misses.join("\n"),
        scores.kinds
    );
    assert_eq!(
        (scores.n_fabricated, scores.n_hosts),
        (0, 0),
        "fabricated citations and leaked hosts"
    );
    assert!(scores.n_false <= 2, "{} false claims", scores.n_false);
    let reached = [
        share(scores.recall),
        share(scores.precision),
        share(scores.unanswerable),
        share(scores.contradictions),
    ];
    assert!(
        reached
            .iter()
            .zip(least)
            .all(|(reached, least)| *reached >= least),
        "{reached:?} is below {least:?}"
    );
}

#[test]
fn score_corpus() {
    check("research-corpus", [0.85, 0.80, 0.85, 0.75]);
}

#[test]
fn score_heldout() {
    check("research-heldout", [0.75, 0.80, 0.85, 0.75]);
}
