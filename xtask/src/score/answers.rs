//! The output of a research run: one line `{"id","answer","citations":[{"doc","span"}]}` per question.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct ScoredAnswer {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) answer: Option<String>,
    #[serde(default)]
    pub(crate) citations: Option<Vec<ScoredCitation>>,
    /// The closest passages, if there is no answer.
    #[serde(default)]
    pub(crate) related: Vec<ScoredCitation>,
    /// How its run ended.
    #[serde(default)]
    pub(crate) outcome: Option<String>,
    /// The run that gave it.
    #[serde(default)]
    pub(crate) run: Option<String>,
}

/// One citation; an incomplete one verifies nothing.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct ScoredCitation {
    #[serde(default)]
    pub(crate) doc: Option<String>,
    #[serde(default)]
    pub(crate) span: Option<String>,
}

/// Answers by question; if a question has two, the later one counts.
#[derive(Debug, Default)]
pub(crate) struct ScoredAnswers(BTreeMap<String, ScoredAnswer>);

impl ScoredAnswers {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut answers = BTreeMap::new();
        for (idx, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let answer: ScoredAnswer = serde_json::from_str(line)
                .with_context(|| format!("answer in line {} of the output", idx + 1))?;
            answers.insert(answer.id.clone(), answer);
        }
        Ok(Self(answers))
    }

    /// Number of answered questions.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The runs of these answers.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter_map(|answer| answer.run.as_deref())
    }

    /// The answer to a question; empty if there is none.
    pub(crate) fn get(&self, id: &str) -> ScoredAnswer {
        self.0.get(id).cloned().unwrap_or_default()
    }
}

impl ScoredAnswer {
    pub(crate) fn text(&self) -> &str {
        self.answer.as_deref().unwrap_or_default()
    }

    pub(crate) fn citations(&self) -> &[ScoredCitation] {
        self.citations.as_deref().unwrap_or_default()
    }

    /// Passages that may not answer the question.
    pub(crate) fn related_passages(&self) -> &[ScoredCitation] {
        &self.related
    }

    /// Whether it states that there is no evidence: no citation, and no other reason for that.
    pub(crate) fn is_silent(&self) -> bool {
        let outcome = self.outcome.as_deref();
        self.citations().is_empty() && outcome.is_none_or(|outcome| outcome == "no_evidence")
    }

    /// The whole answer, including citations.
    pub(crate) fn everything(&self) -> String {
        let citations: Vec<String> = self
            .citations()
            .iter()
            .map(|citation| {
                let word = |field: &Option<String>| field.clone().unwrap_or_else(|| "None".to_owned());
                format!("{} {}", word(&citation.doc), word(&citation.span))
            })
            .collect();
        format!("{}{}", self.text(), citations.join(" "))
    }
}
