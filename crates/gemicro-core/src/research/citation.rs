//! Citations: where a claim comes from, proven to stand there.

use std::ops::Range;

use gemicro_event::Failure;
use gemicro_event::text::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a citation proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The span stands in the stored text. That it supports the claim is for the reader to judge.
    Verified,
    /// The provider named the page; it was not fetched.
    Provider,
}

/// One numbered source of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Its number in the answer, from 1.
    pub number: usize,
    /// The document: its path below the source folder, or the address of its page.
    pub doc: String,
    /// The quote, letter by letter as it stands in the stored text; empty where the page was not fetched.
    pub span: String,
    /// Byte range of the quote in the document's stored text.
    pub range: Range<usize>,
    /// Title of the document.
    pub title: String,
    /// Date of the document, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Whether the quote was found in the stored text.
    pub grade: Grade,
    /// The words of the answer that the provider named this page for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// A value on which documents disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Contradiction")]
pub struct CitedContradiction {
    /// What each of them says.
    pub sides: Vec<ContradictionSide>,
}

/// One side of a contradiction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Side")]
pub struct ContradictionSide {
    /// Path or address of the document.
    pub doc: String,
    /// The sentence, word for word.
    pub span: String,
    /// The value it gives.
    pub value: String,
    /// Its date, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// A part of the question that got no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Unanswered")]
pub struct UnansweredQuestion {
    /// The sub-query without an answer.
    pub query: String,
    /// Why, in a sentence for people.
    pub reason: String,
}

/// A part of the question that was answered by search only, although a model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredWithoutModel {
    /// The sub-query.
    pub query: String,
    /// Why, in a phrase for people.
    pub reason: String,
}

/// A passage that comes close to a question and may not answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedPassage {
    /// Path or address of the document.
    pub doc: String,
    /// The quote, letter by letter as it is in the stored text.
    pub span: String,
    /// Byte range of the quote in the document's stored text.
    pub range: Range<usize>,
    /// Title of the document.
    pub title: String,
    /// Date of the document, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl RelatedPassage {
    /// The passages that a failure for want of evidence names.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Vec<Self> {
        let related = failure.detail.as_ref().and_then(|detail| detail.get("related"));
        let read = related.and_then(|related| serde_json::from_value(related.clone()).ok());
        read.unwrap_or_default()
    }

    /// The passages for a question without an answer, for people; empty without passages.
    #[must_use]
    pub fn closest(related: &[Self]) -> String {
        Self::to_markdown("No document answers this directly. Closest passages:", related)
    }

    /// The passages beside an answer, for people; empty without passages.
    #[must_use]
    pub fn beside_answer(related: &[Self]) -> String {
        Self::to_markdown("Other passages that may help:", related)
    }

    fn to_markdown(heading: &str, related: &[Self]) -> String {
        if related.is_empty() {
            return String::new();
        }
        let lines = related.iter().map(|it| {
            let date = it
                .date
                .as_ref()
                .map_or_else(String::new, |date| format!(" ({date})"));
            format!("- {}{date}: \"{}\"", one_line(&it.doc), one_line(&it.span))
        });
        let lines: Vec<String> = lines.collect();
        format!("{heading}\n\n{}\n", lines.join("\n"))
    }
}
