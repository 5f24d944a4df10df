//! Answers that the provider found on the web: its annotations become numbered citations.

use gemicro_event::text::first_bytes;

use super::markers::{renumber, without_unknown_links};
use super::{Citation, Grade};
use crate::llm::{Annotation, LlmResponse};

/// Longest claim kept with a citation, in bytes.
const MAX_CLAIM: usize = 600;

/// Bytes of an answer that are read; what a model may write is far less.
const MAX_ANSWER: usize = 512 * 1024;
/// Pages one answer may name.
const MAX_ANNOTATIONS: usize = 500;

/// A text with our markers behind each claim, and what they stand for.
#[derive(Debug, PartialEq)]
pub(super) struct WebAnswer {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
}

/// Numbers the pages of an answer in the order they are named. Numbers and links that the model wrote itself
/// are taken out: only an annotation makes a citation.
pub(super) fn number_citations(response: &LlmResponse) -> WebAnswer {
    let text = first_bytes(&response.text, MAX_ANSWER);
    let mut annotations: Vec<&Annotation> = response
        .annotations
        .iter()
        .filter(|it| {
            is_page(&it.url)
                && text
                    .get(it.range.clone())
                    .is_some_and(|claim| !claim.trim().is_empty())
        })
        .take(MAX_ANNOTATIONS)
        .collect();
    annotations.sort_by_key(|it| (it.range.end, it.range.start));
    let mut citations: Vec<Citation> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for annotation in annotations {
        let claim = claim_of(text, annotation);
        let same = |known: &Citation| known.doc == annotation.url && known.claim.as_deref() == Some(claim);
        let known = citations
            .iter()
            .find(|known| same(known))
            .map(|known| known.number);
        let number = known.unwrap_or_else(|| {
            citations.push(provider_citation(citations.len() + 1, annotation, claim));
            citations.len()
        });
        let end = behind_the_sentence(text, annotation.range.end);
        if end > copied {
            out.push_str(&own_words(&text[copied..end], response));
            copied = end;
        }
        let marker = format!("[{number}]");
        if !out.ends_with(&marker) {
            if !out.ends_with(']') {
                out.push(' ');
            }
            out.push_str(&marker);
        }
    }
    out.push_str(&own_words(&text[copied..], response));
    WebAnswer {
        text: out.trim().to_owned(),
        citations,
    }
}

fn provider_citation(number: usize, annotation: &Annotation, claim: &str) -> Citation {
    let title = annotation.title.as_deref().unwrap_or_default().split_whitespace();
    Citation {
        number,
        doc: annotation.url.clone(),
        span: String::new(),
        range: 0..0,
        title: title.collect::<Vec<_>>().join(" "),
        date: None,
        grade: Grade::Provider,
        claim: Some(claim.to_owned()),
    }
}

/// The text a page is named for; the whole sentence where the provider marked only its end.
fn claim_of<'a>(text: &'a str, annotation: &Annotation) -> &'a str {
    let claim = text[annotation.range.clone()].trim();
    let claim = claim.rsplit_once("\n\n").map_or(claim, |(_, last)| last);
    first_bytes(claim, MAX_CLAIM)
}

/// A marker goes behind the full stop, not before it.
fn behind_the_sentence(text: &str, end: usize) -> usize {
    let stop = text[end..].chars().next().filter(|c| ".!?。！？".contains(*c));
    end + stop.map_or(0, char::len_utf8)
}

/// The model's words without numbers and links of its own making.
fn own_words(text: &str, response: &LlmResponse) -> String {
    let text = renumber(text, |_| Vec::new());
    without_unknown_links(&text, |link| response.annotations.iter().any(|it| it.url == link))
}

/// Only pages of the web can be cited.
fn is_page(url: &str) -> bool {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    is_web && url.len() <= 2_048 && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}
