//! `knows`: the questions whose answers a scripted model knows.
//!
//! In a scenario, [`Knowledge`] is the path of a JSON Lines file with one [`KnownQuestion`] per line, such as the
//! `questions.jsonl` of a research corpus. [`Scenario::load`](super::Scenario::load) reads the file; `Scenario::parse`
//! opens no file, so its models only know the path.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::ScenarioError;

/// A model's knowledge, and the file it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PathBuf", into = "PathBuf")]
pub struct Knowledge {
    /// The file, relative to the folder of the scenario.
    pub path: PathBuf,
    /// Its questions; empty until the file is read.
    pub questions: Vec<KnownQuestion>,
}

/// A question with its right answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct KnownQuestion {
    /// The question, word for word.
    pub question: String,
    /// The kind of answer: `unanswerable` has none, `contradiction` has two that disagree.
    #[serde(default)]
    pub kind: String,
    /// The sentences that answer it.
    #[serde(default)]
    pub gold: Vec<GoldSentence>,
    /// Terms that a correct answer contains; for a contradiction, the value of each side.
    #[serde(default)]
    pub answer_terms: Vec<String>,
}

/// A sentence that answers a question, and its document.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GoldSentence {
    /// Path of the document that holds the sentence.
    pub doc: String,
    /// The sentence, word for word.
    pub span: String,
    /// Near copies of the document that also contain the sentence.
    #[serde(default)]
    pub same_in: Vec<String>,
}

impl Knowledge {
    /// Reads the file; a relative path starts at `folder`.
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), ScenarioError> {
        let path = folder.join(&self.path);
        let file = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|source| ScenarioError::UnreadableKnowledge {
            file: file.clone(),
            source,
        })?;
        let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
        let lines = lines.filter(|(line, _)| !line.trim().is_empty());
        self.questions = lines
            .map(|(line, number)| {
                serde_json::from_str(line).map_err(|error| ScenarioError::Invalid {
                    file: file.clone(),
                    line: number,
                    column: error.column().max(1) as u64,
                    message: message(&error),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns the knowledge about a question, ignoring differences in white space.
    pub(crate) fn of(&self, question: &str) -> Option<&KnownQuestion> {
        let asked: Vec<&str> = question.split_whitespace().collect();
        let is_asked = |known: &&KnownQuestion| known.question.split_whitespace().eq(asked.iter().copied());
        self.questions.iter().find(is_asked)
    }
}

/// Returns the message without the position, which is relative to the one line.
fn message(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let end = whole.rfind(" at line ").unwrap_or(whole.len());
    whole[..end].to_owned()
}

impl From<PathBuf> for Knowledge {
    fn from(path: PathBuf) -> Self {
        Self {
            path,
            questions: Vec::new(),
        }
    }
}

impl From<Knowledge> for PathBuf {
    fn from(knowledge: Knowledge) -> Self {
        knowledge.path
    }
}
