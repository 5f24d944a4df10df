//! A selection of questions of a corpus or an ordinary folder, asked and scored.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::local_model::{LocalModel, MODEL};
use crate::bench::score_sets;
use crate::process;
use crate::score::{Folder, ScoreCorpus, ScoredAnswers, measure};
use crate::temporary::TemporaryFolder;

/// A selection of questions of one set.
pub(super) struct QuestionSet {
    pub(super) name: String,
    docs: PathBuf,
    /// `questions.jsonl` with the selection, beside a link to the documents.
    folder: TemporaryFolder,
    first: String,
}

/// The scores of a set.
pub(super) struct SetOutcome {
    pub(super) n_right: usize,
    pub(super) n_wrong: usize,
    pub(super) n_questions: usize,
    pub(super) tokens: u64,
    pub(super) n_retries: usize,
    pub(super) n_fallbacks: usize,
    pub(super) seconds: f64,
}

impl QuestionSet {
    /// All sets of the repository, with at most `n_questions` each, spread over the file.
    pub(super) fn all(root: &Path, n_questions: usize) -> Result<Vec<Self>> {
        let folders = score_sets(root)?;
        folders
            .iter()
            .map(|folder| Self::new(root, folder, n_questions))
            .collect()
    }

    fn new(root: &Path, set: &Path, n_questions: usize) -> Result<Self> {
        let path = root.join(set).join("questions.jsonl");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let lines = spread(&text, n_questions);
        let folder = TemporaryFolder::new()?;
        std::fs::write(folder.path().join("questions.jsonl"), lines.join("\n"))?;
        let docs = std::path::absolute(root.join(set).join("docs"))?;
        std::os::unix::fs::symlink(&docs, folder.path().join("docs"))?;
        let first: Value = serde_json::from_str(lines.first().context("no questions")?)?;
        Ok(Self {
            name: set
                .file_name()
                .unwrap_or(set.as_os_str())
                .to_string_lossy()
                .into_owned(),
            docs,
            folder,
            first: first["question"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// Asks the questions, with a model or by search only.
    pub(super) fn ask(&self, program: &Path, model: Option<&LocalModel>) -> Result<SetOutcome> {
        let home = TemporaryFolder::new()?;
        let gemicro = || gemicro(program, home.path(), model);
        let mut command = gemicro();
        command
            .arg("research")
            .args(engine(model))
            .arg("--source")
            .arg(&self.docs);
        command
            .arg("--questions")
            .arg(self.folder.path().join("questions.jsonl"));
        command.args(["--format", "jsonl"]).stderr(Stdio::null());
        let started_at = Instant::now();
        // A question without an answer is a result too, so the exit code is ignored.
        let output = command
            .output()
            .with_context(|| format!("cannot start `{}`", process::line(&command)))?;
        let seconds = started_at.elapsed().as_secs_f64();
        let answers = ScoredAnswers::parse(&String::from_utf8(output.stdout)?)
            .with_context(|| format!("output of `{}`", process::line(&command)))?;
        let mut outcome = self.score(&answers)?;
        outcome.seconds = seconds;
        for run in answers.runs() {
            outcome.count(&process::output(
                gemicro().args(["events", run, "--format", "jsonl"]),
            )?);
        }
        Ok(outcome)
    }

    /// The command that asks the first question.
    pub(super) fn first_question(&self, program: &Path, home: &Path, model: &LocalModel) -> Command {
        let mut command = gemicro(program, home, Some(model));
        command
            .arg("research")
            .args(engine(Some(model)))
            .arg("--source")
            .arg(&self.docs);
        command.args(["--format", "jsonl"]).arg(&self.first);
        command
    }

    fn score(&self, answers: &ScoredAnswers) -> Result<SetOutcome> {
        let folder = self.folder.path();
        let (n_right, n_wrong, n_questions) = if Folder::is_ordinary(folder)? {
            let set = Folder::load(folder)?;
            let measures = set.measure(answers);
            let unanswerable = measures.unanswerable_answered;
            (
                measures.right.hits + unanswerable.total - unanswerable.hits,
                measures.wrong.hits + unanswerable.hits,
                set.questions.len(),
            )
        } else {
            let mut corpus = ScoreCorpus::load(folder)?;
            let questions = std::mem::take(&mut corpus.questions);
            let n_questions = questions.len();
            let (mut n_right, mut n_wrong) = (0, 0);
            for question in questions {
                corpus.questions = vec![question];
                let measures = measure(&corpus, answers);
                let is_answered = measures.citations > 0;
                let is_right =
                    measures.unanswerable.hits == 1 || (is_answered && measures.answer_terms.hits == 1);
                n_right += usize::from(is_right);
                n_wrong += usize::from(is_answered && !is_right);
            }
            (n_right, n_wrong, n_questions)
        };
        Ok(SetOutcome {
            n_right,
            n_wrong,
            n_questions,
            tokens: 0,
            n_retries: 0,
            n_fallbacks: 0,
            seconds: 0.0,
        })
    }
}

impl SetOutcome {
    /// Adds the figures from the journal of a run.
    fn count(&mut self, journal: &str) {
        for line in journal.lines() {
            let event: Value = serde_json::from_str(line).unwrap_or_default();
            let data = &event["data"];
            match event["event_type"].as_str().unwrap_or_default() {
                "step_started" => self.n_retries += usize::from(data["attempt"].as_u64() > Some(1)),
                "sub_query_completed" => self.n_fallbacks += usize::from(data["without_model"].is_string()),
                "final_result" => self.tokens += data["metadata"]["total_tokens"].as_u64().unwrap_or(0),
                "run_failed" => self.tokens += data["spent"]["tokens"].as_u64().unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// The program with its own home, and the model's server if there is one.
pub(super) fn gemicro(program: &Path, home: &Path, model: Option<&LocalModel>) -> Command {
    let mut command = Command::new(program);
    command
        .env("GEMICRO_HOME", home.join("home"))
        .stdin(Stdio::null());
    // The user's settings would change the measurement.
    command.env("XDG_CONFIG_HOME", home.join("config"));
    if let Some(model) = model {
        command.env("OPENAI_BASE_URL", &model.url);
    }
    command
}

/// Flags for a slow model that answers one call at a time; or for no model.
fn engine(model: Option<&LocalModel>) -> Vec<&'static str> {
    match model {
        None => vec!["--offline"],
        Some(_) => vec![
            "--backend",
            "openai",
            "--model",
            MODEL,
            "--parallel",
            "1",
            "--timeout",
            "900",
            "--idle-timeout",
            "600",
            "--max-tokens",
            "600",
        ],
    }
}

/// At most `most` lines, spread over the text, so that every kind of question is included.
fn spread(text: &str, most: usize) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let each = lines.len().div_ceil(most).max(1);
    lines.into_iter().step_by(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_spread() {
        assert_eq!(spread("a\nb\n\nc\nd\ne\n", 2), ["a", "d"]);
        assert_eq!(spread("a\nb\n", 5), ["a", "b"]);
    }

    #[test]
    fn journals_are_counted() {
        let mut outcome = SetOutcome {
            n_right: 0,
            n_wrong: 0,
            n_questions: 0,
            tokens: 0,
            n_retries: 0,
            n_fallbacks: 0,
            seconds: 0.0,
        };
        outcome.count(concat!(
            r#"{"event_type":"step_started","data":{"attempt":1}}"#,
            "\n",
            r#"{"event_type":"step_started","data":{"attempt":2}}"#,
            "\n",
            r#"{"event_type":"sub_query_completed","data":{"without_model":"x"}}"#,
            "\n",
            r#"{"event_type":"sub_query_completed","data":{}}"#,
            "\n",
            r#"{"event_type":"final_result","data":{"metadata":{"total_tokens":7}}}"#,
        ));
        assert_eq!(
            (outcome.n_retries, outcome.n_fallbacks, outcome.tokens),
            (1, 1, 7)
        );
    }
}
