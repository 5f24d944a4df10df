//! `gemicro sim scenarios`, and finding the scenario that a user named.

use std::path::Path;

use clap::Args;
use gemicro_event::ErrorKind;
use gemicro_sim::scenario::{BUILTIN, Scenario, ScenarioError};
use serde_json::{Value, json};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;

/// The default scenario of `serve`.
pub(super) const DEFAULT: &str = "research";

/// Arguments of `gemicro sim scenarios`.
#[derive(Debug, Args)]
pub(crate) struct ScenariosArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

/// Lists the built-in scenarios.
pub(super) fn list(args: &ScenariosArgs) -> Result<(), CommandError> {
    let all: Vec<Scenario> = BUILTIN
        .iter()
        .map(|(name, _)| Scenario::builtin(name).map_err(|error| unusable(&error)))
        .collect::<Result<_, _>>()?;
    let row = |it: &Scenario| json!({ "scenario": it.name, "description": it.description });
    let rows: Vec<Value> = all.iter().map(row).collect();
    output::print_rows(&rows, args.format, || {
        let widest = all.iter().map(|it| text::width(&it.name)).max().unwrap_or(0);
        let lines = all
            .iter()
            .map(|it| format!("{}  {}\n", text::pad(&it.name, widest), it.description));
        output::print(&lines.collect::<String>())
    })
}

/// The named scenario: a built-in one by its name, any other by its file.
pub(super) fn find(named: &str) -> Result<Scenario, CommandError> {
    if BUILTIN.iter().any(|(name, _)| *name == named) {
        return Scenario::builtin(named).map_err(|error| unusable(&error));
    }
    let path = Path::new(named);
    let is_file_name = named.contains('/') || path.extension().is_some();
    if is_file_name || path.exists() {
        return Scenario::load(path).map_err(|error| unusable(&error));
    }
    let near = BUILTIN
        .iter()
        .map(|(name, _)| *name)
        .find(|name| strsim::damerau_levenshtein(name, named) <= 2);
    let hint = match near {
        Some(name) => format!("did you mean `--scenario {name}`? `gemicro sim scenarios` lists them all"),
        None => "choose a file, or one of `gemicro sim scenarios`".to_owned(),
    };
    Err(CommandError::new_failure(
        ErrorKind::NotFound,
        format!("there is no scenario `{named}`, neither built-in nor a file"),
        hint,
    ))
}

fn unusable(error: &ScenarioError) -> CommandError {
    let hint = match error {
        ScenarioError::Invalid { .. } => "fix the scenario; docs/simulator.md describes every field",
        ScenarioError::Unreadable { .. } => "choose a readable file, or one of `gemicro sim scenarios`",
        _ => "`gemicro sim scenarios` lists the built-in ones",
    };
    CommandError::usage(error.to_string(), hint)
}
