//! What `chat` takes.

use std::path::PathBuf;

use clap::Args;
use gemicro_chat::Opening;
use gemicro_core::budget::Limits;

use crate::args::DataFormat;
use crate::commands::ask::Sandbox;
use crate::config::readers::{parse_budget, parse_prompt_tokens, parse_seconds};

/// Arguments of `gemicro chat`.
#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The conversation to go on with: the beginning of its id, or `last` [default: a new one]
    #[arg(value_name = "CONVERSATION")]
    pub(crate) conversation: Option<String>,

    /// Go on with a copy of the conversation; the original stays as it is
    #[arg(long, requires = "conversation")]
    pub(crate) fork: bool,

    /// Who answers: an agent or a model [default: who answered last, else gemini]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// The folder an agent works in [default: this one]
    #[arg(long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// What an agent may write
    #[arg(long, value_enum, default_value = "workspace-write")]
    pub(crate) sandbox: Sandbox,

    /// Ask me before an agent uses a tool that it does not deem harmless
    #[arg(long)]
    pub(crate) no_yolo: bool,

    /// Who writes summaries of old turns: a model, or `none` [default: a cheap one, where there is a key]
    #[arg(long, value_name = "NAME")]
    pub(crate) summariser: Option<String>,

    /// The longest prompt, in tokens [default: 16000]
    #[arg(long, value_name = "N", value_parser = parse_prompt_tokens, help_heading = "Limits")]
    pub(crate) max_tokens: Option<u64>,

    /// How long an answer may take, or an agent may be silent, in seconds
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, default_value = "120", help_heading = "Limits")]
    pub(crate) timeout: u64,

    /// What the conversation may use in all: tokens 500k, money '$0.50' (if the model's price is known) or 20turns; may be given several times [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,

    /// Carry turns out in this process, not in the resident worker: nothing stays warm
    #[arg(long)]
    pub(crate) no_resident: bool,

    /// Lines instead of a screen, also on a terminal
    #[arg(long, help_heading = "Output")]
    pub(crate) plain: bool,

    /// How lines are printed; json prints one object for everything that happens
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: DataFormat,
}

impl ChatArgs {
    /// Which conversation it is.
    pub(crate) fn opening(&self) -> Opening {
        match &self.conversation {
            None => Opening::New,
            Some(id) if self.fork => Opening::Fork(id.clone()),
            Some(id) if id == "last" => Opening::Last,
            Some(id) => Opening::Named(id.clone()),
        }
    }
}
