//! What `research` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use gemicro_core::offline::Techniques;

use crate::args::Format;
use crate::config::ResearchFlags;
use crate::config::research_defaults::{parse_budget, parse_max_duration, parse_max_queries, parse_timeout};
use crate::trouble::Stopped;

/// Arguments of `gemicro research`.
#[derive(Debug, Args)]
pub(crate) struct ResearchArgs {
    /// The question; `-` reads it from stdin
    #[arg(value_name = "QUESTION", conflicts_with = "questions")]
    pub(crate) question: Vec<String>,

    /// A folder or file to read; may be given several times
    #[arg(
        short,
        long = "source",
        value_name = "PATH",
        help_heading = "Sources and backend"
    )]
    pub(crate) sources: Vec<PathBuf>,

    /// Answer from the sources alone, without a model and without a key
    #[arg(long, help_heading = "Sources and backend")]
    pub(crate) offline: bool,

    /// The model [default: gemini-3-flash-preview]
    #[arg(long, value_name = "NAME", help_heading = "Sources and backend")]
    pub(crate) model: Option<String>,

    /// Sub-queries at most [default: 5]
    #[arg(long, value_name = "N", value_parser = parse_max_queries, help_heading = "Limits")]
    pub(crate) max_queries: Option<usize>,

    /// Time limit of one model call, in seconds [default: 60]
    #[arg(long, value_name = "SECS", value_parser = parse_timeout, help_heading = "Limits")]
    pub(crate) timeout: Option<u64>,

    /// Time limit of the whole run, such as 90s or 10m [default: unlimited]
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,

    /// What the run may use: tokens 50k, money $0.50 or time 10m; may be given several times [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,

    /// How the result is printed; jsonl prints every event
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: Format,

    /// Write the result to a file, whole or not at all, instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Answer every question of a file of JSON lines with `id` and `question`
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "plan",
        help_heading = "Ways to run"
    )]
    pub(crate) questions: Option<PathBuf>,

    /// Show the sub-queries and wait for approval or edits
    #[arg(long, help_heading = "Ways to run")]
    pub(crate) plan: bool,

    /// Approve the plan without asking
    #[arg(short, long, requires = "plan", help_heading = "Ways to run")]
    pub(crate) yes: bool,

    /// Print what would be done, and do nothing
    #[arg(long, conflicts_with_all = ["plan", "questions"], help_heading = "Ways to run")]
    pub(crate) dry_run: bool,

    /// Switch one technique of no-model mode off, for benches
    #[arg(long, value_name = "TECHNIQUE", hide = true, value_parser = parse_technique)]
    pub(crate) without: Option<Techniques>,
}

impl ResearchArgs {
    /// What was given as flags.
    pub(crate) fn flags(&self) -> Result<ResearchFlags, Stopped> {
        let budget = Limits::merge_all(self.budget.iter().copied())
            .map_err(|error| Stopped::usage(error.to_string(), "give each sort of budget once"))?;
        Ok(ResearchFlags {
            sources: (!self.sources.is_empty()).then(|| self.sources.clone()),
            offline: self.offline.then_some(true),
            max_queries: self.max_queries,
            timeout: self.timeout,
            max_duration: self.max_duration,
            budget: (!self.budget.is_empty()).then_some(budget),
            model: self.model.clone(),
        })
    }
}

fn parse_technique(name: &str) -> Result<Techniques, String> {
    Techniques::without(name).ok_or_else(|| format!("techniques are {}", Techniques::NAMES.join(", ")))
}
