//! What `gemicro run` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gemicro_core::budget::Limits;
use gemicro_engine::pipeline::workflow::PipelineMode;

use crate::answer_source::GateArgs;
use crate::args::PrintFormat;
use crate::commands::ask::AgentArg;
use crate::config::readers::{parse_budget, parse_max_duration};

/// Arguments of `gemicro run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The task, in your words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) task: Option<String>,
    /// The file with the task; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub(crate) task_file: Option<PathBuf>,
    /// The task, instead of --task
    #[arg(value_name = "TASK", conflicts_with_all = ["task", "task_file"])]
    pub(crate) words: Vec<String>,
    /// How to start the task
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeName,

    /// The repository to work on, or a folder in it; only the new branch is added to it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The workflow file, or the built-in workflow `default` or `light` [default: the project's file, else `default`]
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// The branch to create; it must start with task/ [default: named after the task]
    #[arg(long, value_name = "task/NAME")]
    pub(crate) branch: Option<String>,

    /// The agent for roles that name none [default: the agent that has --model, else the one that `gemicro doctor` shows]
    #[arg(long, value_enum, help_heading = "Agent")]
    pub(crate) agent: Option<AgentArg>,
    /// The model of that agent [default: the agent's own default]
    #[arg(long, value_name = "NAME", help_heading = "Agent")]
    pub(crate) model: Option<String>,

    /// The remote to merge main from and push the branch to [default: origin, or the only one]
    #[arg(long, value_name = "NAME", help_heading = "Delivery")]
    pub(crate) remote: Option<String>,
    /// Stop at once unless the remote's main is protected
    #[arg(long, help_heading = "Delivery")]
    pub(crate) require_protection: bool,
    /// Keep the branch local: no push, no pull request
    #[arg(long, help_heading = "Delivery")]
    pub(crate) no_push: bool,

    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// Limit of the run: tokens (2M), money ('$5', if the price is known) or time (2h); repeatable [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,
    /// Time limit of the whole run, such as 2h
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,

    /// Output format; markdown prints only the pull request's text, jsonl every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PrintFormat,
    /// Also record the run in this file, with its live text, for `gemicro replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Print what would be done, then stop
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A mode, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ModeName {
    /// Investigate the bug, then plan
    Bugfix,
    /// Research the topic, then plan
    Research,
    /// Plan at once
    #[default]
    Direct,
}

impl From<ModeName> for PipelineMode {
    fn from(mode: ModeName) -> Self {
        match mode {
            ModeName::Bugfix => Self::Bugfix,
            ModeName::Research => Self::Research,
            ModeName::Direct => Self::Direct,
        }
    }
}
