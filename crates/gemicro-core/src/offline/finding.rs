//! What no-model research gives back for one sub-question.
//!
//! The main type is [`SubAnswer`]. All of it is plain data that can be stored and read again; the spans in
//! it are copies of the stored text, byte for byte.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The answer to one sub-question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum SubAnswer {
    /// Sentences that answer it, best first.
    Found {
        /// The sentences; more than one for a bridge or an explanation.
        findings: Vec<Finding>,
        /// Documents that disagree.
        contradictions: Vec<Contradiction>,
        /// What was worked out from the rows of a table, as a sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// Other passages that come close.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        related: Vec<Finding>,
    },
    /// No sentence passed all gates.
    NoEvidence {
        /// The gate that the best candidates did not pass.
        gate: Gate,
        /// The reason, as a sentence for people.
        reason: String,
        /// The passages that come closest; they may not answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        related: Vec<Finding>,
    },
}

/// One sentence of a document that answers a sub-question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The document.
    pub doc: String,
    /// The title of the document.
    pub title: String,
    /// Its date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The sentence, verbatim.
    pub span: String,
    /// Byte range of the sentence in the document's stored text.
    pub range: Range<usize>,
    /// The value in the sentence that answers the question, where a value was expected.
    pub value: Option<String>,
    /// How much of the question the sentence covers, 0 to 1.
    pub score: f32,
    /// Why it was chosen, for people.
    pub why: String,
}

/// Documents that give different values for the same thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// One side per document, the best match first; no document stands here twice.
    pub sides: Vec<Side>,
}

/// One side of a contradiction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The document.
    pub doc: String,
    /// Its date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The sentence, verbatim.
    pub span: String,
    /// Byte range of the sentence in the document's stored text.
    pub range: Range<usize>,
    /// The value that this side gives.
    pub value: String,
}

/// The gates that a sentence passes on its way into an answer, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// It is about exactly what the question is about.
    Subject,
    /// It holds a value of the expected type and unit.
    AnswerType,
    /// It speaks of what was asked.
    Coverage,
    /// It can be quoted: verbatim, without an address, not from planted text.
    Verbatim,
}
