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
    /// The conversation to continue: the start of its id, or `last` [default: a new one]
    #[arg(value_name = "CONVERSATION")]
    pub(crate) conversation: Option<String>,

    /// Continue in a copy; the original stays unchanged
    #[arg(long, requires = "conversation")]
    pub(crate) fork: bool,

    /// The agent or model that answers [default: the last one, else the one that `gemicro doctor` shows]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// The folder an agent works in [default: this one]
    #[arg(long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// What an agent may write
    #[arg(long, value_enum, default_value = "workspace-write")]
    pub(crate) sandbox: Sandbox,

    /// Ask before an agent uses a tool that it does not consider harmless
    #[arg(long)]
    pub(crate) no_yolo: bool,

    /// The model that summarises old turns, or `none` [default: a cheap one, if there is a key]
    #[arg(long, value_name = "NAME")]
    pub(crate) summariser: Option<String>,

    /// Maximum length of the prompt, in tokens [default: 16000]
    #[arg(long, value_name = "N", value_parser = parse_prompt_tokens, help_heading = "Limits")]
    pub(crate) max_tokens: Option<u64>,

    /// Stop a model after this many seconds, or an agent after this many without output
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, default_value = "120", help_heading = "Limits")]
    pub(crate) timeout: u64,

    /// Limit of the conversation: tokens (500k), money ('$0.50', if the price is known) or 20turns; repeatable [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,

    /// Run turns in this process, not in the background worker
    #[arg(long)]
    pub(crate) no_resident: bool,

    /// Print lines instead of a full screen, even on a terminal
    #[arg(long, help_heading = "Output")]
    pub(crate) plain: bool,

    /// Also record the conversation in this file, with its live text, for `gemicro replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) record: Option<PathBuf>,

    /// Output format; json prints one object per event
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
