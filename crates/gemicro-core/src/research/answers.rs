//! A model's answer held against the passages it was shown: only what stands there stays.

use std::fmt::Write as _;

use gemicro_event::text::first_bytes;
use gemicro_event::{ErrorKind, Failure};
use serde::Deserialize;

use super::claims::held_to_quotes;
use super::markers::{marks, names_link, renumber, without_unknown_links};
use super::verify::find_verbatim;
use super::{Citation, CitedContradiction, ContradictionSide, Grade};
use crate::corpus::Passage;
use crate::flow::StepOutput;
use crate::llm::{LlmResponse, json_in};
use crate::offline::is_scripted;

/// Bytes of a model's answer that are read; what it may write is far less.
const MAX_ANSWER: usize = 512 * 1024;

/// A model's answer with only the citations that stand in the sources.
pub(super) struct VerifiedAnswer {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) contradictions: Vec<CitedContradiction>,
    /// Quotes that are not in the sources.
    pub(super) n_removed: usize,
    /// Sentences that said more than their quotes.
    pub(super) n_replaced: usize,
}

#[derive(Deserialize)]
struct ModelAnswer {
    answer: String,
    #[serde(default)]
    citations: Vec<Quote>,
    #[serde(default)]
    contradictions: Vec<Disagreement>,
}

#[derive(Deserialize)]
struct Quote {
    source: usize,
    quote: String,
}

#[derive(Deserialize)]
struct Disagreement {
    #[serde(default)]
    sides: Vec<AnswerClaim>,
}

#[derive(Deserialize)]
struct AnswerClaim {
    #[serde(flatten)]
    quote: Quote,
    #[serde(default)]
    value: String,
}

/// Citations that were found in their passages, numbered in order.
struct NumberedCitations<'a> {
    passages: &'a [Passage],
    citations: Vec<Citation>,
    /// The model's number of each citation.
    sources: Vec<usize>,
    n_removed: usize,
}

impl NumberedCitations<'_> {
    /// Looks a quote up in the passage it names; gives the place of the citation.
    fn add(&mut self, cited: &Quote) -> Option<usize> {
        let passage = cited.source.checked_sub(1).and_then(|idx| self.passages.get(idx));
        // Text that speaks to a machine proves nothing, wherever it stands.
        let passage = passage.filter(|it| says_something(&cited.quote) && !is_scripted(&it.text));
        let found = passage.and_then(|passage| Some((passage, find_verbatim(&passage.text, &cited.quote)?)));
        let Some((passage, place)) = found else {
            self.n_removed += 1;
            return None;
        };
        let range = passage.range.start + place.start..passage.range.start + place.end;
        let known = |it: &Citation| it.doc == passage.doc && it.range == range;
        if let Some(idx) = self.citations.iter().position(known) {
            return Some(idx);
        }
        self.sources.push(cited.source);
        self.citations.push(Citation {
            number: self.citations.len() + 1,
            doc: passage.doc.clone(),
            span: passage.text[place].to_owned(),
            range,
            title: passage.title.clone(),
            date: passage.date.clone(),
            grade: Grade::Verified,
            claim: None,
        });
        Some(self.citations.len() - 1)
    }

    /// Both sides of a disagreement, if at least two of them stand in the sources and differ.
    fn disagreement(&mut self, claimed: &Disagreement) -> Option<CitedContradiction> {
        let mut sides: Vec<ContradictionSide> = Vec::new();
        for claim in &claimed.sides {
            let Some(idx) = self.add(&claim.quote) else {
                continue;
            };
            let citation = &self.citations[idx];
            let value = claim.value.trim();
            let stands = !value.is_empty() && find_verbatim(&citation.span, value).is_some();
            sides.push(ContradictionSide {
                doc: citation.doc.clone(),
                span: citation.span.clone(),
                value: if stands {
                    value.to_owned()
                } else {
                    citation.span.clone()
                },
                date: citation.date.clone(),
            });
        }
        sides.dedup_by(|one, other| one.value == other.value);
        (sides.len() >= 2).then_some(CitedContradiction { sides })
    }
}

/// Checks every quote against the passage it names and drops what is not there.
pub(super) fn verified_answer(
    response: &LlmResponse,
    query: &str,
    passages: &[Passage],
) -> Result<VerifiedAnswer, Failure> {
    let answer: ModelAnswer = json_in(first_bytes(&response.text, MAX_ANSWER))
        .ok_or_else(|| "it contains no JSON".to_owned())
        // What the parser says may quote the model, and reasons are shown.
        .and_then(|json| {
            json.parse()
                .map_err(|_| "its JSON does not match the schema".to_owned())
        })
        .map_err(|message| {
            Failure::new(
                ErrorKind::MalformedOutput,
                format!("the model's answer cannot be read: {message}"),
            )
        })?;
    let mut found = NumberedCitations {
        passages,
        citations: Vec::new(),
        sources: Vec::new(),
        n_removed: 0,
    };
    for cited in &answer.citations {
        found.add(cited);
    }
    let contradictions: Vec<CitedContradiction> = answer
        .contradictions
        .iter()
        .filter_map(|claimed| found.disagreement(claimed))
        .collect();
    if answer.answer.trim().is_empty() || (!passages.is_empty() && found.citations.is_empty()) {
        let message = match found.n_removed {
            0 => "the sources contain no answer".to_owned(),
            n => format!("none of the {n} quotes that the model gave is in the sources"),
        };
        return Err(Failure::new(ErrorKind::NoEvidence, message));
    }
    let text = renumber(&answer.answer, |number| {
        let numbered = found.sources.iter().zip(1..);
        numbered
            .filter(|(source, _)| **source == number)
            .map(|(_, ours)| ours)
            .collect()
    });
    let text = without_unknown_links(&text, |link| {
        names_link(query, link) || found.citations.iter().any(|it| names_link(&it.span, link))
    });
    let (text, n_replaced) = held_to_quotes(&text, query, &found.citations);
    let text = with_all_marks(text, &found.citations);
    Ok(VerifiedAnswer {
        text,
        citations: found.citations,
        contradictions,
        n_removed: found.n_removed,
        n_replaced,
    })
}

/// Whether a model says that the sources hold no answer: it gives neither an answer nor a quote.
pub(super) fn finds_nothing(output: &StepOutput) -> bool {
    let response = output.output.parse::<LlmResponse>().ok();
    let json = response.and_then(|response| json_in(first_bytes(&response.text, MAX_ANSWER)));
    let answer = json.and_then(|json| json.parse::<ModelAnswer>().ok());
    answer.is_some_and(|it| {
        it.answer.trim().is_empty() && it.citations.is_empty() && it.contradictions.is_empty()
    })
}

/// A proof that the text does not point to would be lost in the report: its mark goes to the end.
fn with_all_marks(mut text: String, citations: &[Citation]) -> String {
    let marked = marks(&text);
    let missing = citations.iter().filter(|it| !marked.contains(&it.number));
    for (idx, citation) in missing.enumerate() {
        let space = if idx == 0 { " " } else { "" };
        let _ = write!(text, "{space}[{}]", citation.number);
    }
    text
}

/// A dot or a single letter stands in every text and proves nothing.
fn says_something(quote: &str) -> bool {
    quote.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}
