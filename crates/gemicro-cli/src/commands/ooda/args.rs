//! What `gemicro ooda` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use serde::Deserialize;

use crate::answer_source::GateArgs;
use crate::args::DataFormat;
use crate::config::BackendName;
use crate::config::readers::{parse_budget, parse_max_duration};

/// Arguments of `gemicro ooda`.
#[derive(Debug, Args)]
pub(crate) struct OodaArgs {
    /// The file with the commands and the target; its folder is the project
    #[arg(default_value = "ooda.toml")]
    pub(crate) file: PathBuf,

    /// Always take the top-ranked gap, without asking
    #[arg(long, conflicts_with_all = ["decide", "wait"], help_heading = "Deciding")]
    pub(crate) auto: bool,
    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// Stop when this percentage of lines is covered
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = "Limits")]
    pub(crate) target: Option<f64>,
    /// Limit of the run: tokens (200k), money ('$0.50', if the price is known) or time (30m); repeatable
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,
    /// Time limit of the whole run, such as 30m
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,
    /// Maximum number of gaps to work on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Limits")]
    pub(crate) rounds: Option<u32>,

    /// The backend that writes the tests
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Model")]
    pub(crate) backend: Option<TestWriter>,
    /// The model that writes the tests
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub(crate) model: Option<String>,

    /// The branch for accepted tests; it must start with task/
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
    /// Also record the run in this file, with its live text, for `gemicro replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Print what would be done, then stop
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Who writes the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TestWriter {
    /// The Gemini API
    Gemini,
    /// A server that speaks the OpenAI API
    Openai,
}

impl TestWriter {
    /// Its name among all backends.
    pub(super) fn backend(self) -> BackendName {
        match self {
            Self::Gemini => BackendName::Gemini,
            Self::Openai => BackendName::Openai,
        }
    }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| format!("`{text}` is not a percentage; write it like 90 or 92.5"))
}
