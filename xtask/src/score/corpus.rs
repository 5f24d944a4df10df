//! A corpus: documents in all forms that a span may be quoted from, and questions with gold spans.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::html::visible;
use super::normal::{collapse, decode, without_invisible};

#[derive(Debug)]
pub(crate) struct ScoreCorpus {
    /// By path from `docs/`: the texts that a span may be quoted from.
    pub(crate) documents: BTreeMap<String, Vec<String>>,
    pub(crate) questions: Vec<ScoreQuestion>,
}

/// One question with the requirements for a good answer.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ScoreQuestion {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) gold: Vec<Gold>,
    pub(crate) answer_terms: Vec<String>,
    /// Why the question is unanswerable, if it is.
    #[serde(default)]
    pub(crate) why: Option<String>,
    /// Strings that an injected text tries to get into the answer.
    #[serde(default)]
    pub(crate) forbidden: Vec<String>,
    #[serde(default)]
    pub(crate) false_claim: Option<String>,
}

/// The sentence that answers the question, and its document.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Gold {
    pub(crate) doc: String,
    pub(crate) span: String,
    /// Other documents with the same sentence.
    #[serde(default)]
    pub(crate) same_in: Vec<String>,
}

impl ScoreCorpus {
    /// Reads `docs/` and `questions.jsonl` of a folder.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let mut documents = BTreeMap::new();
        let docs = folder.join("docs");
        read_folder(&docs, "", &mut documents).with_context(|| format!("corpus {}", folder.display()))?;
        let path = folder.join("questions.jsonl");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self {
            documents,
            questions: questions(&text)?,
        })
    }

    /// Whether the document contains the span.
    pub(crate) fn verifies(&self, doc: &str, span: &str) -> bool {
        let span = collapse(span);
        let forms = self.documents.get(doc);
        !span.is_empty() && forms.is_some_and(|forms| forms.iter().any(|form| form.contains(&span)))
    }
}

/// The forms of one document.
pub(crate) fn forms(name: &str, bytes: &[u8]) -> Vec<String> {
    let raw = decode(bytes);
    let mut forms = vec![collapse(&raw), collapse(&without_invisible(&raw))];
    if name.ends_with(".html") || name.ends_with(".htm") {
        let visible = visible(&raw);
        forms.push(collapse(&visible));
        forms.push(collapse(&without_invisible(&visible)));
    }
    forms
}

/// One question per line.
pub(crate) fn questions(text: &str) -> Result<Vec<ScoreQuestion>> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(idx, line)| serde_json::from_str(line).with_context(|| format!("question {}", idx + 1)))
        .collect()
}

pub(super) fn read_folder(
    folder: &Path,
    prefix: &str,
    documents: &mut BTreeMap<String, Vec<String>>,
) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            read_folder(&entry.path(), &format!("{prefix}{name}/"), documents)?;
        } else if entry.path().is_file() {
            documents.insert(
                format!("{prefix}{name}"),
                forms(&name, &std::fs::read(entry.path())?),
            );
        }
    }
    Ok(())
}
