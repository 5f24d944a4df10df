//! Scores research on corpora with known answers: without a model here, with scripted models in `models`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::models;
use super::ordinary;
use super::outcome::{BenchOutcome, HEADINGS, count, row, share};
use super::release::release_binary;
use super::table::table;
use crate::process;
use crate::score::{Bars, Folder, FolderBars, FolderMeasures, Measures, ScoreCorpus, ScoredAnswers, measure};
use crate::temporary::TemporaryFolder;

const CORPORA: &[(&str, Bars)] = &[
    ("fixtures/research-corpus", Bars::KNOWN),
    ("fixtures/research-heldout", Bars::HELD_OUT),
    ("fixtures/research-blind-1", Bars::HELD_OUT),
    ("fixtures/research-blind-2", Bars::HELD_OUT),
];

/// Ordinary folders, with strings instead of gold spans.
const ORDINARY: &str = "fixtures/ordinary";

/// What to score, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ResearchBench {
    /// Whether a missed bar is an error.
    pub(crate) must_pass: bool,
    /// Only this corpus or ordinary folder; a corpus must meet the bars for unknown documents.
    pub(crate) corpus: Option<PathBuf>,
    /// This program instead of a new release build, without scripted models.
    pub(crate) program: Option<PathBuf>,
}

/// Checks the bars on all corpora: the stage of `xtask ci`.
pub(crate) fn check(root: &Path) -> Result<()> {
    run(
        root,
        &ResearchBench {
            must_pass: true,
            ..ResearchBench::default()
        },
    )
}

/// Scores all corpora and ordinary folders, or the given one.
pub(crate) fn run(root: &Path, bench: &ResearchBench) -> Result<()> {
    let program = match &bench.program {
        Some(program) => std::path::absolute(program)?,
        None => release_binary(root)?,
    };
    let mut corpora: Vec<(PathBuf, Bars)> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    match &bench.corpus {
        Some(folder) => {
            let folder = std::path::absolute(folder)?;
            if Folder::is_ordinary(&folder)? {
                folders.push(folder);
            } else {
                corpora.push((folder, Bars::HELD_OUT));
            }
        }
        None => {
            corpora.extend(
                CORPORA
                    .iter()
                    .map(|(folder, bars)| (PathBuf::from(*folder), *bars)),
            );
            folders.extend(ordinary_folders(root)?);
        }
    }
    let mut missed = Vec::new();
    let mut all_folders = FolderMeasures::default();
    for folder in &folders {
        let questions = Folder::load(&root.join(folder))?;
        println!("  {}: {} questions", folder.display(), questions.questions.len());
        let (answers, seconds) = answers(root, &program, folder, questions.questions.len())?;
        all_folders.add(&ordinary::report(&questions, &answers));
        println!("  {seconds:.1} s\n");
    }
    if folders.len() > 1 {
        println!("  all ordinary folders");
        ordinary::print(&all_folders);
        let below = all_folders.missed_bars(FolderBars::FLOOR).into_iter();
        missed.extend(below.map(|bar| format!("{ORDINARY}: {bar}")));
    }
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
    if bench.program.is_none() {
        let folders: Vec<PathBuf> = corpora.iter().map(|(folder, _)| folder.clone()).collect();
        missed.extend(models::run(root, &program, &folders)?);
    }
    for bar in &missed {
        println!("  MISSED {bar}");
    }
    if bench.must_pass && !missed.is_empty() {
        bail!("{} research bars missed", missed.len());
    }
    Ok(())
}

/// All corpora and ordinary folders of the repository.
pub(crate) fn score_sets(root: &Path) -> Result<Vec<PathBuf>> {
    let corpora = CORPORA.iter().map(|(folder, _)| PathBuf::from(*folder));
    Ok(corpora.chain(ordinary_folders(root)?).collect())
}

/// The ordinary folders of the repository, by name.
fn ordinary_folders(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root.join(ORDINARY)).with_context(|| format!("cannot read {ORDINARY}"))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(Path::new(ORDINARY).join(entry.file_name()));
        }
    }
    folders.sort();
    Ok(folders)
}

fn outcome(root: &Path, program: &Path, folder: &Path, corpus: &ScoreCorpus) -> Result<BenchOutcome> {
    let (answers, seconds) = answers(root, program, folder, corpus.questions.len())?;
    Ok(BenchOutcome {
        measures: measure(corpus, &answers),
        n_answers: answers.len(),
        seconds,
    })
}

/// The program's answers to the questions of a folder, and the time in seconds.
fn answers(root: &Path, program: &Path, folder: &Path, n_questions: usize) -> Result<(ScoredAnswers, f64)> {
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
    if answers.len() != n_questions {
        bail!(
            "{} answers to {n_questions} questions: `{}`",
            answers.len(),
            process::line(&command)
        );
    }
    Ok((answers, seconds))
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
