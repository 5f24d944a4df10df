//! Research scored on corpora with known answers: without a model here, with scripted ones in `models`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::models;
use super::outcome::{BenchOutcome, HEADINGS, count, row, share};
use super::release::release_binary;
use super::table::table;
use crate::process;
use crate::score::{Bars, Measures, ScoreCorpus, ScoredAnswers, measure};
use crate::temporary::TemporaryFolder;

const CORPORA: &[(&str, Bars)] = &[
    ("fixtures/research-corpus", Bars::KNOWN),
    ("fixtures/research-heldout", Bars::HELD_OUT),
    ("fixtures/research-blind-1", Bars::HELD_OUT),
    ("fixtures/research-blind-2", Bars::HELD_OUT),
];

/// The bars, on all corpora: the stage of the gate.
pub(crate) fn check(root: &Path) -> Result<()> {
    run(root, true, None)
}

/// Scores all corpora, or the given one (held to the bars of unknown documents); `must_pass` makes a missed bar an error.
pub(crate) fn run(root: &Path, must_pass: bool, corpus: Option<&Path>) -> Result<()> {
    let program = release_binary(root)?;
    let corpora: Vec<(PathBuf, Bars)> = match corpus {
        Some(folder) => vec![(std::path::absolute(folder)?, Bars::HELD_OUT)],
        None => CORPORA
            .iter()
            .map(|(folder, bars)| (PathBuf::from(*folder), *bars))
            .collect(),
    };
    let mut missed = Vec::new();
    for (folder, bars) in &corpora {
        let documents = ScoreCorpus::load(&root.join(folder))?;
        println!(
            "  {}: {} documents, {} questions",
            folder.display(),
            documents.documents.len(),
            documents.questions.len()
        );
        let full = outcome(root, &program, folder, &documents)?;
        println!("{}", table(HEADINGS, &[row("full", &full)]));
        print_kinds(&full.measures);
        let below = bars.missed_bars(&full.measures);
        missed.extend(
            below
                .into_iter()
                .map(|bar| format!("{}: {bar}", folder.display())),
        );
    }
    let folders: Vec<PathBuf> = corpora.iter().map(|(folder, _)| folder.clone()).collect();
    missed.extend(models::run(root, &program, &folders)?);
    for bar in &missed {
        println!("  MISSED {bar}");
    }
    if must_pass && !missed.is_empty() {
        bail!("{} research bars missed", missed.len());
    }
    Ok(())
}

fn outcome(root: &Path, program: &Path, folder: &Path, corpus: &ScoreCorpus) -> Result<BenchOutcome> {
    let home = TemporaryFolder::new()?;
    let mut command = Command::new(program);
    command
        .current_dir(root)
        .env("GEMICRO_HOME", home.path().join("home"));
    command
        .args(["research", "--offline", "--source"])
        .arg(folder.join("docs"));
    command
        .arg("--questions")
        .arg(folder.join("questions.jsonl"))
        .args(["--format", "jsonl"]);
    let started_at = Instant::now();
    let lines = process::output(&mut command)?;
    let seconds = started_at.elapsed().as_secs_f64();
    let answers =
        ScoredAnswers::parse(&lines).with_context(|| format!("output of `{}`", process::line(&command)))?;
    if answers.len() != corpus.questions.len() {
        bail!(
            "{} answers to {} questions: `{}`",
            answers.len(),
            corpus.questions.len(),
            process::line(&command)
        );
    }
    Ok(BenchOutcome {
        measures: measure(corpus, &answers),
        n_answers: answers.len(),
        seconds,
    })
}

fn print_kinds(measures: &Measures) {
    for (kind, (recall, precision)) in &measures.by_kind {
        println!(
            "  {kind:<16} recall {} precision {}",
            share(*recall),
            share(*precision)
        );
    }
    for (why, ratio) in &measures.unanswerable_by_why {
        println!("  unanswerable, {why}: {}", count(*ratio));
    }
    println!();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// `sh` stands in for the program: its first argument, `research`, is then a script in the root.
    fn outcome_of(script: &str) -> Result<BenchOutcome> {
        let root = TemporaryFolder::new()?;
        let docs = root.path().join("corpus/docs");
        std::fs::create_dir_all(&docs)?;
        std::fs::write(docs.join("a.md"), "The mill turns at 12 rpm.")?;
        let question = r#"{"id":"1","kind":"single","gold":[{"doc":"a.md","span":"The mill turns at 12 rpm."}],"answer_terms":["12"]}"#;
        std::fs::write(root.path().join("corpus/questions.jsonl"), question)?;
        std::fs::write(root.path().join("research"), script)?;
        let corpus = ScoreCorpus::load(&root.path().join("corpus"))?;
        outcome(root.path(), Path::new("/bin/sh"), Path::new("corpus"), &corpus)
    }

    const ANSWER: &str =
        r#"echo '{"id":"1","answer":"12","citations":[{"doc":"a.md","span":"The mill turns at 12 rpm."}]}'"#;

    #[test]
    fn a_run_is_scored() {
        let arguments = r#"[ "$*" = "--offline --source corpus/docs --questions corpus/questions.jsonl --format jsonl" ]"#;
        let script = format!("{arguments} || exit 2\n[ -n \"$GEMICRO_HOME\" ] || exit 3\n{ANSWER}\n");
        let outcome = outcome_of(&script).unwrap();
        let row = row("full", &outcome);
        assert_eq!(
            row[..10],
            [
                "full", "1.0000", "1.0000", "1.0000", "1.0000", "–", "–", "0/1", "0/0", "0/0"
            ]
        );
    }

    #[test]
    fn a_run_that_fails_or_answers_too_little_is_an_error() {
        for (script, part) in [
            ("exit 5", "failed (exit status: 5)"),
            ("true", "0 answers to 1 questions"),
            ("echo x", "output of"),
        ] {
            let error = outcome_of(script)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(error.contains(part), "{error}");
        }
    }
}
