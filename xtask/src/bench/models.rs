//! Scores research with scripted models over HTTP: one that knows the answers, and others that lie or babble.
//!
//! `gemicro sim serve` plays the model and `gemicro research` asks it. Hosts that a model invents are searched in
//! answers and citations and, through the journal of each run, in plans and sub-queries.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::outcome::{BenchOutcome, HEADINGS, row};
use super::simulator::BenchSimulator;
use super::table::table;
use crate::process;
use crate::score::{Bars, ScoreCorpus, ScoredAnswers, measure};
use crate::temporary::TemporaryFolder;

/// The corpus whose bars are part of `xtask ci`; on others the perfect model is only reported.
const GATED: &str = "fixtures/research-corpus";

/// Hosts that scripted models invent.
const INVENTED_HOSTS: &[&str] = &["169.254.169.254", "fabricated.invalid"];

/// Events in which a run states its plan.
const PLAN_EVENTS: &[&str] = &["decomposition_complete", "sub_query_started"];

/// A model whose claims must not get through.
struct Hostile {
    name: &'static str,
    script: ModelScript,
    /// Maximum number of questions; unreadable answers are requested again, which takes time.
    n_questions: usize,
}

enum ModelScript {
    BuiltIn,
    File(&'static str),
}

const HOSTILE: &[Hostile] = &[
    Hostile {
        name: "liar",
        script: ModelScript::BuiltIn,
        n_questions: usize::MAX,
    },
    Hostile {
        name: "half-liar",
        script: ModelScript::File(include_str!("../../scenarios/half-liar.yaml")),
        n_questions: usize::MAX,
    },
    Hostile {
        name: "echo",
        script: ModelScript::BuiltIn,
        n_questions: usize::MAX,
    },
    Hostile {
        name: "noise",
        script: ModelScript::File(include_str!("../../scenarios/noise.yaml")),
        n_questions: 12,
    },
    Hostile {
        name: "garbage",
        script: ModelScript::BuiltIn,
        n_questions: 12,
    },
];

/// One model on one corpus.
struct ModelScore<'a> {
    root: &'a Path,
    program: &'a Path,
    folder: &'a Path,
    corpus: &'a ScoreCorpus,
}

/// The scores of a model, and the number of forbidden places where a forbidden host appears.
struct PlayedScript {
    outcome: BenchOutcome,
    n_hosts: usize,
}

/// Runs all models on these corpora; returns the bars that are missed.
pub(crate) fn run(root: &Path, program: &Path, folders: &[PathBuf]) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    for folder in folders {
        let corpus = ScoreCorpus::load(&root.join(folder))?;
        let asked = ModelScore {
            root,
            program,
            folder,
            corpus: &corpus,
        };
        let is_gated = folder == Path::new(GATED);
        let perfect = perfect(&asked)?;
        let mut rows = vec![hosts_row("perfect", &perfect)];
        if is_gated {
            let mut below = Bars::PERFECT.missed_bars(&perfect.outcome.measures);
            below.extend(hosts_missed(perfect.n_hosts));
            missed.extend(below.iter().map(|bar| format!("perfect model: {bar}")));
            for hostile in HOSTILE {
                let played = provoke(&asked, hostile)?;
                let mut below = Vec::from_iter(Bars::fabrication(&played.outcome.measures));
                below.extend(hosts_missed(played.n_hosts));
                missed.extend(below.iter().map(|bar| format!("{}: {bar}", hostile.name)));
                let name = format!("{}, {} asked", hostile.name, played.outcome.n_answers);
                rows.push(hosts_row(&name, &played));
            }
        }
        let standing = if is_gated { "" } else { " (no bars)" };
        println!("  {}, scripted models{standing}", folder.display());
        let headings: Vec<&str> = HEADINGS.iter().copied().chain(["hosts"]).collect();
        println!("{}", table(&headings, &rows));
    }
    Ok(missed)
}

/// The model that knows the questions of the corpus.
fn perfect(asked: &ModelScore<'_>) -> Result<PlayedScript> {
    let scripts = TemporaryFolder::new()?;
    let file = scripts.path().join("perfect.yaml");
    let knows = std::path::absolute(asked.root.join(asked.folder).join("questions.jsonl"))?;
    let knows = serde_json::to_string(&knows)?;
    let script =
        format!("scenario: perfect\nrules:\n  - reply:\n      persona: perfect\n      knows: {knows}\n");
    std::fs::write(&file, script)?;
    let questions = asked.folder.join("questions.jsonl");
    let played = play(asked, &file.display().to_string(), &questions)?;
    let n_questions = asked.corpus.questions.len();
    if played.outcome.n_answers != n_questions {
        bail!("{} answers to {n_questions} questions", played.outcome.n_answers);
    }
    Ok(played)
}

fn provoke(asked: &ModelScore<'_>, hostile: &Hostile) -> Result<PlayedScript> {
    let folder = TemporaryFolder::new()?;
    let scenario = match hostile.script {
        ModelScript::BuiltIn => hostile.name.to_owned(),
        ModelScript::File(text) => {
            let file = folder.path().join("scenario.yaml");
            std::fs::write(&file, text)?;
            file.display().to_string()
        }
    };
    let all = std::fs::read_to_string(asked.root.join(asked.folder).join("questions.jsonl"))?;
    let lines: Vec<&str> = all.lines().filter(|line| !line.trim().is_empty()).collect();
    // Spread over the file, so that every kind of question is included.
    let each = lines.len().div_ceil(hostile.n_questions).max(1);
    let lines: Vec<&str> = lines.into_iter().step_by(each).collect();
    let questions = folder.path().join("questions.jsonl");
    std::fs::write(&questions, lines.join("\n"))?;
    let played = play(asked, &scenario, &questions)?;
    if played.outcome.n_answers != lines.len() {
        bail!(
            "{}: {} answers to {} questions",
            hostile.name,
            played.outcome.n_answers,
            lines.len()
        );
    }
    Ok(played)
}

/// Asks a model all questions of a file. A failed run is a result too, so the exit code is ignored.
fn play(asked: &ModelScore<'_>, scenario: &str, questions: &Path) -> Result<PlayedScript> {
    let simulator = BenchSimulator::start(asked.program, scenario)?;
    let home = TemporaryFolder::new()?;
    let gemicro = || {
        let mut command = Command::new(asked.program);
        command
            .current_dir(asked.root)
            .env("GEMICRO_HOME", home.path().join("home"))
            .stdin(Stdio::null());
        command
    };
    let mut command = gemicro();
    command
        .env("GEMINI_API_KEY", "sim")
        .env("GOOGLE_GEMINI_BASE_URL", &simulator.url);
    command
        .args(["research", "--source"])
        .arg(asked.folder.join("docs"));
    command
        .arg("--questions")
        .arg(questions)
        .args(["--format", "jsonl"]);
    let started_at = Instant::now();
    let output = command.stderr(Stdio::null()).output()?;
    let seconds = started_at.elapsed().as_secs_f64();
    let lines = String::from_utf8(output.stdout)?;
    let answers =
        ScoredAnswers::parse(&lines).with_context(|| format!("output of `{}`", process::line(&command)))?;
    let mut said: Vec<String> = lines.lines().map(str::to_owned).collect();
    for run in answers.runs() {
        let events = process::output(gemicro().args(["events", run, "--format", "jsonl"]))?;
        said.extend(events.lines().filter(|line| states_plan(line)).map(str::to_owned));
    }
    let hosts = forbidden_hosts(asked.corpus);
    let names_one = |line: &&String| hosts.iter().any(|host| line.contains(host));
    Ok(PlayedScript {
        n_hosts: said.iter().filter(names_one).count(),
        outcome: BenchOutcome {
            measures: measure(asked.corpus, &answers),
            n_answers: answers.len(),
            seconds,
        },
    })
}

fn states_plan(line: &str) -> bool {
    let event: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    PLAN_EVENTS.iter().any(|kind| event["event_type"] == *kind)
}

fn forbidden_hosts(corpus: &ScoreCorpus) -> Vec<String> {
    let planted = corpus.questions.iter().flat_map(|question| &question.forbidden);
    let invented = INVENTED_HOSTS.iter().map(|host| (*host).to_owned());
    planted.cloned().chain(invented).collect()
}

fn hosts_row(name: &str, played: &PlayedScript) -> Vec<String> {
    let mut cells = row(name, &played.outcome);
    cells.push(played.n_hosts.to_string());
    cells
}

fn hosts_missed(n_hosts: usize) -> Option<String> {
    (n_hosts > 0).then(|| format!("{n_hosts} answers, citations or plans name a forbidden host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plans_are_looked_at() {
        assert!(states_plan(r#"{"event_type":"sub_query_started","data":{}}"#));
        assert!(!states_plan(
            r#"{"event_type":"step_completed","data":{"x":"evil.example"}}"#
        ));
        assert!(!states_plan("no JSON"));
        assert_eq!(hosts_missed(0), None);
    }
}
