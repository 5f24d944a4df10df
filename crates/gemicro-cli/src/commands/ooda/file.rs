//! The file of an ooda loop: short, strict, and read before anything is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gemicro_core::budget::Limits;
use gemicro_engine::ooda::{Commands, FileScope, TimedCommand};
use serde::Deserialize;

use super::OodaArgs;
use super::args::TestWriter;
use crate::command_error::CommandError;
use crate::config::readers::parse_budget;

/// Default time limit of one command, in seconds.
const DEFAULT_SECONDS: u64 = 600;
/// Maximum time limit of one command, in seconds.
const MAX_SECONDS: u64 = 4 * 3_600;
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// A loop as its file describes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OodaFile {
    /// Measures coverage and writes the reports.
    pub(super) coverage: String,
    /// Builds and runs the tests.
    pub(super) test: String,
    /// The report, or several.
    #[serde(default)]
    report: Option<OneOrMore>,
    /// The target line coverage, in percent.
    #[serde(default)]
    pub(super) target: Option<f64>,
    #[serde(default)]
    scope: FileScope,
    #[serde(default)]
    budget: Option<OneOrMore>,
    #[serde(default)]
    pub(super) backend: Option<TestWriter>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) branch: Option<String>,
    #[serde(default)]
    pub(super) rounds: Option<u32>,
    #[serde(default)]
    pub(super) attempts: Option<u32>,
    #[serde(default)]
    pub(super) patience: Option<u32>,
    #[serde(default)]
    pub(super) mutants: Option<u32>,
    #[serde(default)]
    timeout_seconds: Option<u64>,
    #[serde(default)]
    allowed_paths: Vec<String>,
    #[serde(default)]
    pub(super) context: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn list(&self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::More(more) => more.clone(),
        }
    }
}

impl OodaFile {
    /// Reads the file of a loop, and returns the folder of the project.
    pub(super) fn read(path: &Path) -> Result<(Self, PathBuf), CommandError> {
        const HINT: &str = "the file needs `coverage` and `test`; docs/ooda.md describes it";
        let unreadable = |why: String| CommandError::usage(format!("{}: {why}", path.display()), HINT);
        let about = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if about.is_dir() {
            return Err(unreadable(
                "is a folder; give the file in it, such as ooda.toml".to_owned(),
            ));
        }
        if !about.is_file() || about.len() > MAX_BYTES {
            return Err(unreadable(format!(
                "is not a file of at most {} KiB",
                MAX_BYTES >> 10
            )));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let file: Self = toml::from_str(&text).map_err(|error| {
            // The whole message shows the line with a marker below it.
            unreadable(format!(
                "is not a valid ooda file:\n{}",
                error.to_string().trim_end()
            ))
        })?;
        let whole = std::path::absolute(path)?;
        let folder = whole.parent().map(Path::to_owned).unwrap_or_default();
        Ok((file, folder))
    }

    pub(super) fn commands(&self) -> Result<Commands, CommandError> {
        let seconds = self.timeout_seconds.unwrap_or(DEFAULT_SECONDS);
        if !(1..=MAX_SECONDS).contains(&seconds) {
            let message = format!("timeout_seconds is between 1 and {MAX_SECONDS}, not {seconds}");
            return Err(CommandError::usage(message, "fix it in the file"));
        }
        let order = |command: &str| TimedCommand {
            command: command.to_owned(),
            timeout_ms: seconds * 1_000,
        };
        Ok(Commands {
            test: order(&self.test),
            coverage: order(&self.coverage),
            reports: self.report.as_ref().map(OneOrMore::list).unwrap_or_default(),
            scope: self.scope,
            leave: self.allowed_paths.clone(),
            environment: self.environment.clone().into_iter().collect(),
        })
    }

    /// The budget of the loop: from the command line, otherwise from the file.
    pub(super) fn budget(&self, args: &OodaArgs) -> Result<Option<Limits>, CommandError> {
        const HINT: &str = "give each kind of limit once, such as 200k, $0.50 or 30m";
        let limits: Vec<Limits> = if args.budget.is_empty() {
            let named = self.budget.as_ref().map(OneOrMore::list).unwrap_or_default();
            let read = named.iter().map(|text| parse_budget(text));
            read.collect::<Result<_, _>>()
                .map_err(|error| CommandError::usage(error, HINT))?
        } else {
            args.budget.clone()
        };
        if limits.is_empty() {
            return Ok(None);
        }
        let merged =
            Limits::merge_all(limits).map_err(|error| CommandError::usage(error.to_string(), HINT))?;
        Ok(Some(merged))
    }
}
