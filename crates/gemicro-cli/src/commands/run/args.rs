//! What `gemicro run` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gemicro_core::budget::Limits;
use gemicro_engine::pipeline::workflow::Mode;

use crate::args::Format;
use crate::commands::ask::Agent;
use crate::config::readers::{parse_budget, parse_max_duration};
use crate::deciding::GateArgs;

/// Arguments of `gemicro run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What is to be done, in your words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) task: Option<String>,
    /// The same in a file; `-` reads it from stdin
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    pub(crate) task_file: Option<PathBuf>,
    /// The task without its option; behind `--` it may begin with a hyphen
    #[arg(value_name = "TASK", conflicts_with_all = ["task", "task_file"])]
    pub(crate) words: Vec<String>,
    /// How the task is entered
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeName,

    /// The checkout that is worked on, or a folder in it; nothing in it is changed but the new branch
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The workflow file [default: that of the project, else the built-in one]
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// The branch that is made; it begins with task/ [default: named after the task]
    #[arg(long, value_name = "task/NAME")]
    pub(crate) branch: Option<String>,

    /// Who works where the workflow does not say [default: whoever has the model, else gemini]
    #[arg(long, value_enum, help_heading = "Agent")]
    pub(crate) agent: Option<Agent>,
    /// The model of that agent [default: the agent's own]
    #[arg(long, value_name = "NAME", help_heading = "Agent")]
    pub(crate) model: Option<String>,

    /// The remote whose main is merged and that the branch is pushed to [default: origin, or the only one]
    #[arg(long, value_name = "NAME", help_heading = "Delivery")]
    pub(crate) remote: Option<String>,
    /// End at once unless the remote's main is protected
    #[arg(long, help_heading = "Delivery")]
    pub(crate) require_protection: bool,
    /// Push nothing and open no request: the branch stays here
    #[arg(long, help_heading = "Delivery")]
    pub(crate) no_push: bool,

    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// What the run may use: tokens 2M, money '$5' (if the model's price is known) or time 2h; may be given several times [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,
    /// Time limit of the whole run, such as 2h
    #[arg(long, value_name = "DURATION", value_parser = parse_max_duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Limits>,

    /// How the result is printed; markdown is the text of the request alone, jsonl every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A mode, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ModeName {
    /// Find out what is wrong first
    Bugfix,
    /// Find out what is known first
    Research,
    /// Plan at once
    #[default]
    Direct,
}

impl From<ModeName> for Mode {
    fn from(mode: ModeName) -> Self {
        match mode {
            ModeName::Bugfix => Self::Bugfix,
            ModeName::Research => Self::Research,
            ModeName::Direct => Self::Direct,
        }
    }
}
