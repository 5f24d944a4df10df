//! What `research` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::budget::Limits;
use gemicro_engine::AllowedHost;

use crate::args::Format;
use crate::config::readers::{
    parse_budget, parse_host, parse_max_duration, parse_max_queries, parse_max_tokens, parse_parallel,
    parse_per_minute, parse_seconds,
};
use crate::config::{BackendName, ResearchFlags};
use crate::trouble::Stopped;

/// Arguments of `gemicro research`.
#[derive(Debug, Args)]
pub(crate) struct ResearchArgs {
    /// The question; `-` reads it from stdin
    #[arg(value_name = "QUESTION", conflicts_with = "questions")]
    pub(crate) question: Vec<String>,

    /// Whether `research` was left out, so that words that may be a command are no question.
    #[arg(skip)]
    pub(crate) is_short_form: bool,

    /// A folder, file or web address to read; may be given several times
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

    /// Who answers [default: gemini]
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        hide_possible_values = false,
        conflicts_with = "offline",
        help_heading = "Sources and backend"
    )]
    pub(crate) backend: Option<BackendName>,

    /// The model [default: gemini-3-flash-preview, or the agent of deep-research]
    #[arg(long, value_name = "NAME", help_heading = "Sources and backend")]
    pub(crate) model: Option<String>,

    /// Let the provider search the web for what the sources do not say [default: only without sources]
    #[arg(long, overrides_with = "no_web", help_heading = "Sources and backend")]
    pub(crate) web: bool,

    /// Never search the web
    #[arg(long, help_heading = "Sources and backend")]
    pub(crate) no_web: bool,

    /// A host that may be fetched although its address is private or has no https, such as 127.0.0.1:8080
    #[arg(long = "allow-host", value_name = "HOST", value_parser = parse_host, help_heading = "Sources and backend")]
    pub(crate) allow_hosts: Vec<AllowedHost>,

    /// Sub-queries at most [default: 5]
    #[arg(long, value_name = "N", value_parser = parse_max_queries, help_heading = "Limits")]
    pub(crate) max_queries: Option<usize>,

    /// Tokens one model call may write, thoughts included [default: 4096]
    #[arg(long, value_name = "N", value_parser = parse_max_tokens, help_heading = "Limits")]
    pub(crate) max_tokens: Option<u64>,

    /// Time limit of one model call, in seconds [default: 60; 3600 for deep-research]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, help_heading = "Limits")]
    pub(crate) timeout: Option<u64>,

    /// How long one model call may be silent, in seconds [default: 30]
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, help_heading = "Limits")]
    pub(crate) idle_timeout: Option<u64>,

    /// Model calls at the same time [default: 100; 4 for openai]
    #[arg(long, value_name = "N", value_parser = parse_parallel, help_heading = "Limits")]
    pub(crate) parallel: Option<usize>,

    /// Model calls started in any minute [default: unlimited]
    #[arg(long, value_name = "N", value_parser = parse_per_minute, help_heading = "Limits")]
    pub(crate) calls_per_minute: Option<u32>,

    /// Time limit of the whole run, such as 90s or 10m [default: unlimited]
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,

    /// What the run may use: tokens 50k, money '$0.50' (if the model's price is known) or time 10m; may be given several times [default: unlimited]
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

    /// Go on from an earlier run: its texts, pages and findings are there already
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with = "questions",
        help_heading = "Ways to run"
    )]
    pub(crate) follow: Option<String>,

    /// Write one section of that run's report anew, as the question asks; the others stay as they are
    #[arg(long, value_name = "SECTION", requires = "follow", conflicts_with_all = ["questions", "plan"], help_heading = "Ways to run")]
    pub(crate) revise: Option<String>,

    /// Show the sub-queries and wait for approval or edits
    #[arg(long, help_heading = "Ways to run")]
    pub(crate) plan: bool,

    /// Approve the plan without asking
    #[arg(short, long, requires = "plan", help_heading = "Ways to run")]
    pub(crate) yes: bool,

    /// Print what would be done, and do nothing
    #[arg(long, conflicts_with_all = ["plan", "questions"], help_heading = "Ways to run")]
    pub(crate) dry_run: bool,
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
