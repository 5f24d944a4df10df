//! `cargo xtask setup`: finds or installs what the tests need.
//!
//! [`TOOLS`] lists the tools that are only checked. The rest is installed into the ignored folder `.tools/` of the
//! checkout (a Python with the official SDKs, `python`; the real agent CLIs, `agents`; the vocabulary of Gemma 3,
//! `tokenizer`), or as system packages (`debian`, `postgres`). Quick if everything is installed.

mod agents;
mod debian;
mod installed_programs;
mod postgres;
mod python;
mod tokenizer;

use std::path::Path;
use std::process::Stdio;

use anyhow::{Result, bail};

use self::debian::{BUBBLEWRAP, COVERAGE, TMUX};
use self::installed_programs::InstalledPrograms;
use crate::process;

/// One tool that the tests need, and the effect of its absence.
struct SetupTool {
    name: &'static str,
    /// A cargo subcommand that succeeds if the tool is installed.
    probe: &'static [&'static str],
    absent: Absent,
}

/// The effect of a missing tool.
enum Absent {
    /// The checks still run, by other means; with a warning.
    FallBack { to: &'static str, hint: &'static str },
    /// Nothing can replace it.
    Fail { hint: &'static str },
}

const TOOLS: &[SetupTool] = &[
    SetupTool {
        name: "cargo test",
        probe: &["test", "--help"],
        absent: Absent::Fail {
            hint: "install the toolchain named in Cargo.toml (rust-version)",
        },
    },
    SetupTool {
        name: "rustfmt",
        probe: &["fmt", "--version"],
        absent: Absent::Fail {
            hint: "rustup component add rustfmt",
        },
    },
    SetupTool {
        name: "clippy",
        probe: &["clippy", "--version"],
        absent: Absent::Fail {
            hint: "rustup component add clippy",
        },
    },
    SetupTool {
        name: "cargo-nextest",
        probe: NEXTEST,
        absent: Absent::FallBack {
            to: "cargo test",
            hint: "cargo install --locked cargo-nextest",
        },
    },
];

const NEXTEST: &[&str] = &["nextest", "--version"];

/// Checks every tool; fails if one is missing that cannot be replaced.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut missing = Vec::new();
    for tool in TOOLS {
        if answers(root, tool.probe) {
            println!("  {:<18} found", tool.name);
            continue;
        }
        match &tool.absent {
            Absent::FallBack { to, hint } => {
                println!("  {:<18} MISSING: falling back to {to} ({hint})", tool.name);
            }
            Absent::Fail { hint } => missing.push(format!("{} ({hint})", tool.name)),
        }
    }
    let installed = [
        (python::NAME, python::install(root)),
        (BUBBLEWRAP.name, BUBBLEWRAP.install()),
        (TMUX.name, TMUX.install()),
        (postgres::NAME, postgres::install()),
        (agents::NAME, agents::install(root)),
        (tokenizer::NAME, tokenizer::install(root)),
    ];
    let coverage = COVERAGE.iter().map(|package| (package.name, package.install()));
    for (name, result) in installed.into_iter().chain(coverage) {
        match result {
            Ok(InstalledPrograms::Before) => println!("  {name:<18} found"),
            Ok(InstalledPrograms::Now) => println!("  {name:<18} installed"),
            Err(error) if in_ci() => missing.push(format!("{name} ({error:#})")),
            Err(error) => println!("  {name:<18} MISSING: its tests fail ({error:#})"),
        }
    }
    if !missing.is_empty() {
        bail!("missing and not replaceable: {}", missing.join(", "));
    }
    Ok(())
}

/// Whether this is CI, where a missing tool is an error.
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// Whether the tests can run under nextest.
pub(crate) fn has_nextest(root: &Path) -> bool {
    answers(root, NEXTEST)
}

fn answers(root: &Path, probe: &[&str]) -> bool {
    let mut command = process::cargo(root);
    command
        .args(probe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
