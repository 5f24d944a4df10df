//! `cargo xtask ci`: all checks, stage by stage, stopping at the first failure.
//!
//! Each stage can be run alone; a failure names the command for that. The output of the tools is passed through
//! unchanged.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::temporary::TemporaryFolder;
use crate::{bench, deny, faults, process, setup, tidy};

struct CiStage {
    name: &'static str,
    work: StageWork,
}

/// The work of a stage.
enum StageWork {
    /// A program other than xtask.
    Tool(fn(&Path) -> Command),
    /// One of our own commands; the first field runs it alone.
    Own(&'static str, fn(&Path) -> Result<()>),
}

const STAGES: &[CiStage] = &[
    CiStage {
        name: "setup",
        work: StageWork::Own("cargo xtask setup", setup::run),
    },
    CiStage {
        name: "fmt",
        work: StageWork::Tool(|root| cargo(root, &["fmt", "--all", "--check"])),
    },
    CiStage {
        name: "clippy",
        work: StageWork::Tool(|root| cargo(root, CLIPPY)),
    },
    CiStage {
        name: "tidy",
        work: StageWork::Own("cargo xtask tidy", tidy::run),
    },
    CiStage {
        name: "deny",
        work: StageWork::Own("cargo xtask deny", deny::run),
    },
    CiStage {
        name: "doctest",
        work: StageWork::Tool(|root| cargo(root, &["test", "--workspace", "--doc"])),
    },
    // After the doc tests, so that the last test summary in the log is the largest one.
    CiStage {
        name: "test",
        work: StageWork::Tool(test_run),
    },
    CiStage {
        name: "doc",
        work: StageWork::Tool(documentation),
    },
    CiStage {
        name: "smoke",
        work: StageWork::Own(SMOKE_ALONE, smoke),
    },
    CiStage {
        name: "research",
        work: StageWork::Own("cargo xtask bench research --check", bench::check_research),
    },
    CiStage {
        name: "faults",
        work: StageWork::Own("cargo xtask faults", |root| faults::run(root, &[])),
    },
];

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];

/// The first command of the README.
const SMOKE: &[&str] = &[
    "run",
    "--release",
    "--",
    "research",
    "--offline",
    "--source",
    "docs",
    "How does gemicro survive a crash?",
];
const SMOKE_ALONE: &str =
    "cargo run --release -- research --offline --source docs 'How does gemicro survive a crash?'";

pub(crate) fn run(root: &Path) -> Result<()> {
    run_stages(root, STAGES)
}

fn run_stages(root: &Path, stages: &[CiStage]) -> Result<()> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for stage in stages {
        println!("==> {}", stage.name);
        let started_at = Instant::now();
        let (alone, result) = stage.run(root);
        let took = started_at.elapsed();
        if let Err(error) = result {
            println!(
                "==> {} failed after {:.1} s; alone: {alone}",
                stage.name,
                took.as_secs_f64()
            );
            return Err(error.context(format!("stage {}", stage.name)));
        }
        println!("==> {} ok, {:.1} s", stage.name, took.as_secs_f64());
        times.push((stage.name, took));
    }
    let total: Duration = times.iter().map(|(_, took)| took).sum();
    let parts: Vec<String> = times
        .iter()
        .map(|(name, took)| format!("{name} {:.0} s", took.as_secs_f64()))
        .collect();
    println!(
        "==> gate passed in {:.0} s ({})",
        total.as_secs_f64(),
        parts.join(", ")
    );
    Ok(())
}

impl CiStage {
    /// The command to run this stage alone, and its result.
    fn run(&self, root: &Path) -> (String, Result<()>) {
        match &self.work {
            StageWork::Tool(command) => {
                let mut command = command(root);
                (process::line(&command), process::run(&mut command))
            }
            StageWork::Own(alone, run) => ((*alone).to_owned(), run(root)),
        }
    }
}

/// Nothing is built a second time here, so the files of incremental builds (several gigabytes) would only fill the disk.
fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = process::cargo(root);
    command.args(arguments).env("CARGO_INCREMENTAL", "0");
    command
}

/// Seed of the random cases: every change is checked with the same ones. For other seeds, by hand:
/// `PROPTEST_RNG_SEED=… cargo nextest run`.
const SEED: &str = "20261115";

fn test_run(root: &Path) -> Command {
    let mut command = tests(root);
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", SEED);
    }
    command
}

fn tests(root: &Path) -> Command {
    if setup::has_nextest(root) {
        cargo(root, &["nextest", "run", "--workspace"])
    } else {
        println!("    cargo-nextest is MISSING: running cargo test instead");
        cargo(
            root,
            &[
                "test",
                "--workspace",
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ],
        )
    }
}

fn documentation(root: &Path) -> Command {
    let mut command = cargo(root, &["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// Checks that the first command of the README gives an answer with a citation.
fn smoke(root: &Path) -> Result<()> {
    let home = TemporaryFolder::new()?;
    let mut command = cargo(root, SMOKE);
    command.env("GEMICRO_HOME", home.path().join("home"));
    let answer = process::output(&mut command)?;
    println!("{answer}");
    check_answer(&answer)
}

fn check_answer(answer: &str) -> Result<()> {
    if !answer.contains("[1]") {
        bail!("the answer cites nothing: no `[1]` in it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_citation_fails_the_smoke_run() {
        assert!(check_answer("It writes a journal [1].").is_ok());
        assert!(check_answer("No evidence.").is_err());
    }

    #[test]
    fn a_failed_stage_names_its_command() {
        let stage = CiStage {
            name: "x",
            work: StageWork::Tool(|root| cargo(root, &["no-such-command"])),
        };
        let (alone, result) = stage.run(Path::new("."));
        assert_eq!(alone, "cargo no-such-command");
        assert!(result.is_err());
    }

    #[test]
    fn the_first_failure_ends_the_gate() {
        let good = || CiStage {
            name: "good",
            work: StageWork::Own("x", |_| Ok(())),
        };
        let bad = || CiStage {
            name: "bad",
            work: StageWork::Own("x", |_| bail!("no")),
        };
        let never = || CiStage {
            name: "never",
            work: StageWork::Own("x", |_| unreachable!("after a failure")),
        };
        assert!(run_stages(Path::new("."), &[good(), good()]).is_ok());
        let error = run_stages(Path::new("."), &[good(), bad(), never()]).unwrap_err();
        assert_eq!(format!("{error:#}"), "stage bad: no");
    }

    #[test]
    fn the_smoke_run_alone_is_the_command_of_the_stage() {
        assert_eq!(process::line(&cargo(Path::new("."), SMOKE)), SMOKE_ALONE);
    }
}
