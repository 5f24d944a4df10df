//! What `research` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use gemicro_engine::AllowedHost;

use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::config::readers::{
    parse_budget, parse_host, parse_max_duration, parse_max_queries, parse_max_tokens, parse_parallel,
    parse_per_minute, parse_seconds,
};
use crate::config::{BackendName, ResearchFlags};

/// Arguments of `gemicro research`.
#[derive(Debug, Args)]
pub(crate) struct ResearchArgs {
    /// The question; `-` reads it from stdin
    #[arg(value_name = "QUESTION", conflicts_with = "questions")]
    pub(crate) question: Vec<String>,

    /// Whether `research` was left out, so that words that may be a command are no question.
    #[arg(skip)]
    pub(crate) is_short_form: bool,

    /// A folder, file or web address to read; repeatable
    #[arg(
        short,
        long = "source",
        value_name = "PATH",
        help_heading = "Sources and backend"
    )]
    pub(crate) sources: Vec<PathBuf>,

    /// Answer only from the sources, without a model or a key
    #[arg(long, help_heading = "Sources and backend")]
    pub(crate) offline: bool,

    /// The backend that answers [default: gemini]
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        hide_possible_values = false,
        conflicts_with = "offline",
        help_heading = "Sources and backend"
    )]
    pub(crate) backend: Option<BackendName>,

    /// The model [default: gemini-3-flash-preview, or the deep-research agent]
    #[arg(long, value_name = "NAME", help_heading = "Sources and backend")]
    pub(crate) model: Option<String>,

    /// Also search the web [default: only if there are no sources]
    #[arg(long, overrides_with = "no_web", help_heading = "Sources and backend")]
    pub(crate) web: bool,

    /// Never search the web
    #[arg(long, help_heading = "Sources and backend")]
    pub(crate) no_web: bool,

    /// Allow fetching from this private or plain-HTTP host, such as 127.0.0.1:8080; repeatable
    #[arg(long = "allow-host", value_name = "HOST", value_parser = parse_host, help_heading = "Sources and backend")]
    pub(crate) allow_hosts: Vec<AllowedHost>,

    /// Maximum number of sub-queries [default: 5]
    #[arg(long, value_name = "N", value_parser = parse_max_queries, help_heading = "Limits")]
    pub(crate) max_queries: Option<usize>,

    /// Maximum output tokens of one model call, thoughts included [default: 4096]
    #[arg(long, value_name = "N", value_parser = parse_max_tokens, help_heading = "Limits")]
    pub(crate) max_tokens: Option<u64>,

    /// Time limit of one model call, in seconds [default: 60; 3600 for deep-research]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, help_heading = "Limits")]
    pub(crate) timeout: Option<u64>,

    /// Stop a model call after this many seconds without output [default: 30]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, help_heading = "Limits")]
    pub(crate) idle_timeout: Option<u64>,

    /// Maximum model calls at the same time [default: 100; 4 for openai]
    #[arg(long, value_name = "N", value_parser = parse_parallel, help_heading = "Limits")]
    pub(crate) parallel: Option<usize>,

    /// Maximum model calls started per minute [default: unlimited]
    #[arg(long, value_name = "N", value_parser = parse_per_minute, help_heading = "Limits")]
    pub(crate) calls_per_minute: Option<u32>,

    /// Time limit of the whole run, such as 90s or 10m [default: unlimited]
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,

    /// Limit of the run: tokens (50k), money ('$0.50', if the price is known) or time (10m); repeatable [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,

    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: PrintFormat,

    /// Write the result to this file instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Also write a structured report to PATH.md and PATH.html
    #[arg(long, value_name = "PATH", conflicts_with_all = ["questions", "dry_run"], help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,

    /// Also record the run in this file, with its live text, for `gemicro replay`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["questions", "dry_run"], help_heading = "Output")]
    pub(crate) record: Option<PathBuf>,

    /// Answer every question in a file of JSON lines with `id` and `question`
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "plan",
        help_heading = "Ways to run"
    )]
    pub(crate) questions: Option<PathBuf>,

    /// Build on the sources and findings of an earlier run
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with = "questions",
        help_heading = "Ways to run"
    )]
    pub(crate) follow: Option<String>,

    /// Rewrite only this section of the --follow run's report, as the question asks
    #[arg(long, value_name = "SECTION", requires = "follow", conflicts_with_all = ["questions", "plan"], help_heading = "Ways to run")]
    pub(crate) revise: Option<String>,

    /// Show the sub-queries and ask for approval or edits
    #[arg(long, help_heading = "Ways to run")]
    pub(crate) plan: bool,

    /// Approve the plan without asking
    #[arg(short, long, requires = "plan", help_heading = "Ways to run")]
    pub(crate) yes: bool,

    /// Print what would be done, then stop
    #[arg(long, conflicts_with_all = ["plan", "questions"], help_heading = "Ways to run")]
    pub(crate) dry_run: bool,
}

impl ResearchArgs {
    /// What was given as flags.
    pub(crate) fn flags(&self) -> Result<ResearchFlags, CommandError> {
        let budget = Limits::merge_all(self.budget.iter().copied())
            .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?;
        Ok(ResearchFlags {
            sources: (!self.sources.is_empty()).then(|| self.sources.clone()),
            offline: self.offline.then_some(true),
            max_queries: self.max_queries,
            timeout: self.timeout.map(Some),
            max_duration: self.max_duration,
            budget: (!self.budget.is_empty()).then_some(budget),
            backend: self.backend,
            model: self.model.clone().map(Some),
            web: (self.web || self.no_web).then_some(Some(self.web)),
            allow_hosts: (!self.allow_hosts.is_empty()).then(|| self.allow_hosts.clone()),
            max_tokens: self.max_tokens,
            idle_timeout: self.idle_timeout,
            parallel: self.parallel.map(Some),
            per_minute: self.calls_per_minute.map(Some),
        })
    }
}
