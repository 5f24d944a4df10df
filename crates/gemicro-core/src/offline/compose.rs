//! Writes the answer: quoted sentences with numbered citations, disagreements, and what is missing.
//!
//! The main function is [`compose`], the main type [`ComposedAnswer`]. Every claim in the text is a quoted
//! sentence; nothing is worded anew, so nothing can be invented here.

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::decompose::SubQuestion;
use super::finding::{Contradiction, Finding, Gate, SubAnswer};
use super::text::collapse;

/// The answer to a whole question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComposedAnswer {
    /// The answer in Markdown.
    pub markdown: String,
    /// The quotations, by number from 1; empty when there is no evidence.
    pub citations: Vec<Citation>,
    /// Documents that disagree.
    pub contradictions: Vec<Contradiction>,
    /// Parts of the question without evidence.
    pub missing: Vec<Missing>,
}

/// A numbered quotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Its number in the text.
    pub number: usize,
    /// The document.
    pub doc: String,
    /// Title of the document; empty where only a contradiction quotes it.
    pub title: String,
    /// Date of the document, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The sentence, verbatim.
    pub span: String,
    /// Byte range in the document's stored text.
    pub range: Range<usize>,
}

/// A part of the question that no source answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The sub-question.
    pub question: String,
    /// The gate that closed.
    pub gate: Gate,
    /// The reason, for people.
    pub reason: String,
}

/// Writes the answer from the answers to the sub-questions, in their order.
#[must_use]
pub fn compose(question: &str, answers: &[(SubQuestion, SubAnswer)]) -> ComposedAnswer {
    let mut writer = Writer::default();
    let is_compound = answers.len() > 1;
    for (sub_question, sub_answer) in answers {
        match sub_answer {
            SubAnswer::Found { findings, contradictions } => {
                if is_compound {
                    let _ = writeln!(writer.body, "**{}**\n", collapse(&sub_question.text));
                }
                writer.found(findings, contradictions);
            }
            SubAnswer::NoEvidence { gate, reason } => writer.missing.push(Missing { question: sub_question.text.clone(), gate: *gate, reason: reason.clone() }),
        }
    }
    writer.finish(question)
}

#[derive(Default)]
struct Writer {
    body: String,
    citations: Vec<Citation>,
    contradictions: Vec<Contradiction>,
    missing: Vec<Missing>,
}

impl Writer {
    fn found(&mut self, findings: &[Finding], contradictions: &[Contradiction]) {
        let disputed = |finding: &Finding| contradictions.iter().flat_map(|contradiction| &contradiction.sides).any(|side| side.doc == finding.doc && side.span == finding.span);
        for finding in findings.iter().filter(|finding| !disputed(finding)) {
            let number = self.cite(Citation {
                number: 0,
                doc: finding.doc.clone(),
                title: finding.title.clone(),
                date: finding.date.clone(),
                span: finding.span.clone(),
                range: finding.range.clone(),
            });
            let _ = writeln!(self.body, "{} [{number}]\n", collapse(&finding.span));
        }
        for contradiction in contradictions {
            self.body.push_str("The sources disagree:\n\n");
            for side in &contradiction.sides {
                let number = self.cite(Citation {
                    number: 0,
                    doc: side.doc.clone(),
                    title: String::new(),
                    date: side.date.clone(),
                    span: side.span.clone(),
                    range: side.range.clone(),
                });
                let date = side.date.as_deref().unwrap_or("no date");
                let _ = writeln!(self.body, "- **{}** ({date}, `{}`): {} [{number}]", collapse(&side.value), side.doc, collapse(&side.span));
            }
            self.body.push('\n');
            self.contradictions.push(contradiction.clone());
        }
    }

    /// The number of a quotation; the same sentence of the same document is one quotation.
    fn cite(&mut self, mut citation: Citation) -> usize {
        let wanted = collapse(&citation.span);
        if let Some(known) = self.citations.iter().find(|known| known.doc == citation.doc && collapse(&known.span) == wanted) {
            return known.number;
        }
        citation.number = self.citations.len() + 1;
        self.citations.push(citation);
        self.citations.len()
    }

    fn finish(mut self, question: &str) -> ComposedAnswer {
        if self.citations.is_empty() {
            let _ = writeln!(self.body, "No evidence in the sources for: {}\n", collapse(question));
        }
        if !self.missing.is_empty() {
            if !self.citations.is_empty() {
                self.body.push_str("Without evidence in the sources:\n\n");
            }
            for missing in &self.missing {
                let _ = writeln!(self.body, "- {} {}", collapse(&missing.question), missing.reason);
            }
            self.body.push('\n');
        }
        if !self.citations.is_empty() {
            self.body.push_str("## Sources\n\n");
            for citation in &self.citations {
                let date = citation.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
                let _ = writeln!(self.body, "{}. `{}`{date}: “{}”", citation.number, citation.doc, collapse(&citation.span));
            }
        }
        let markdown = self.body.trim_end().to_owned() + "\n";
        ComposedAnswer { markdown, citations: self.citations, contradictions: self.contradictions, missing: self.missing }
    }
}
