//! `knows`: the questions whose answers a scripted model knows beforehand.
//!
//! [`Knowledge`] stands in a scenario as the path of a file of JSON lines, one [`KnownQuestion`] each, such as the
//! `questions.jsonl` of a research corpus. [`Scenario::load`](super::Scenario::load) reads the file;
//! `Scenario::parse` opens nothing, so its models know only the path.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::ScenarioError;

/// What a model knows, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PathBuf", into = "PathBuf")]
pub struct Knowledge {
    /// The file, from the folder of the scenario.
    pub path: PathBuf,
    /// Its questions; empty until the file is read.
    pub questions: Vec<KnownQuestion>,
}

/// A question with its right answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct KnownQuestion {
    /// The question, word for word.
    pub question: String,
    /// What kind of answer it has: `unanswerable` none, `contradiction` two that disagree.
    #[serde(default)]
    pub kind: String,
    /// The sentences that answer it.
    #[serde(default)]
    pub gold: Vec<GoldSentence>,
    /// What a right answer contains; for a contradiction the value of each side.
    #[serde(default)]
    pub answer_terms: Vec<String>,
}

/// A sentence that answers, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GoldSentence {
    /// Path of the document that holds the sentence.
    pub doc: String,
    /// The sentence, word for word.
    pub span: String,
    /// Near copies of the document that hold the sentence too.
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

    /// What is known about a question, white space apart.
    pub(crate) fn of(&self, question: &str) -> Option<&KnownQuestion> {
        let asked: Vec<&str> = question.split_whitespace().collect();
        let is_asked = |known: &&KnownQuestion| known.question.split_whitespace().eq(asked.iter().copied());
        self.questions.iter().find(is_asked)
    }
}

/// The message without the place, which counts lines within the one line.
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
