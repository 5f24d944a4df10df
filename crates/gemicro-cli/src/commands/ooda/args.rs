//! What `gemicro ooda` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use serde::Deserialize;

use crate::args::DataFormat;
use crate::config::BackendName;
use crate::config::readers::{parse_budget, parse_max_duration};
use crate::deciding::GateArgs;

/// Arguments of `gemicro ooda`.
#[derive(Debug, Args)]
pub(crate) struct OodaArgs {
    /// The file that says what is run and what is aimed at; the project is the folder it lies in
    #[arg(default_value = "ooda.toml")]
    pub(crate) file: PathBuf,

    /// Take the first gap of the ranking each time, without asking
    #[arg(long, conflicts_with_all = ["decide", "wait"], help_heading = "Deciding")]
    pub(crate) auto: bool,
    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// End when this part of the lines is covered, in percent
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = "Limits")]
    pub(crate) target: Option<f64>,
    /// What the loop may use: tokens 200k, money '$0.50' (if the model's price is known) or time 30m; may be given several times
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,
    /// Time limit of the whole loop, such as 30m
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,
    /// Gaps that are taken on at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Limits")]
    pub(crate) rounds: Option<u32>,

    /// Who writes the tests
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Model")]
    pub(crate) backend: Option<TestWriter>,
    /// The model that writes them
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub(crate) model: Option<String>,

    /// The branch that accepted tests go to; it begins with task/
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// How the result is printed; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
    /// Print what would be done, and do nothing
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

/// Reads a percentage.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| format!("`{text}` is not a part of all lines: write it as 90 or 92.5"))
}
