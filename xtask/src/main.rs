//! The development commands of gemicro: `cargo xtask <command>`.
//!
//! One module per command; `help` lists them. It depends on none of gemicro's crates, so that it
//! builds and reports even while they do not.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool talks to its caller"
)]

use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod ci;
mod deny;
mod faults;
mod help;
mod live;
mod metadata;
mod process;
mod repository;
mod score;
mod setup;
mod temporary;
mod tidy;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = repository::root()?;
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", arguments),
    };
    if !["bench", "faults", "live"].contains(&command) && !rest.is_empty() {
        bail!(
            "`cargo xtask {command}` takes no arguments (got {})",
            rest.join(" ")
        );
    }
    match command {
        "ci" => ci::run(&root),
        "setup" => setup::run(&root),
        "tidy" => tidy::run(&root),
        "deny" => deny::run(&root),
        "live" => live::run(&root, rest),
        "bench" => bench::run(&root, rest),
        "faults" => faults::run(&root, rest),
        "help" | "--help" | "-h" => {
            help::run();
            Ok(())
        }
        unknown => bail!("unknown command `{unknown}`; `cargo xtask help` lists them"),
    }
}
