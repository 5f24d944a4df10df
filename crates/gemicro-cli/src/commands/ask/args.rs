//! What `ask` takes. Names and defaults are those of the tool that other agents call.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gemicro_core::ask::{AgentName, SandboxMode, ToolExtras, route};
use gemicro_core::budget::Limits;
use gemicro_engine::{AskRequest, KnownSession};

use super::template::TemplateArgs;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::readers::{parse_budget, parse_seconds};

/// Arguments of `gemicro ask`.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The prompt; `-` reads it from stdin
    #[arg(value_name = "PROMPT", required_unless_present = "tasks")]
    pub(crate) prompt: Vec<String>,

    /// The folder the agent works in [default: the session's folder, else this one]
    #[arg(long = "cd", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Work on this branch, in a private copy of the repository; nothing else in the repository changes
    #[arg(long, value_name = "task/NAME")]
    pub(crate) branch: Option<String>,

    /// The agent [default: the agent that has --model, else the one that `gemicro doctor` shows]
    #[arg(long, value_enum)]
    pub(crate) agent: Option<AgentArg>,

    /// The model [default: the agent's own default; the current Pro for gemini]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// What the agent may write [default: workspace-write]
    #[arg(long, value_enum)]
    pub(crate) sandbox: Option<Sandbox>,

    /// Allow only tools that the agent considers harmless, instead of all tools in the sandbox
    #[arg(long)]
    pub(crate) no_yolo: bool,

    /// Use this agent or model while the provider limits requests [default: wait for the limit to end]
    #[arg(long, value_name = "NAME")]
    pub(crate) fallback: Option<String>,

    /// Continue a session: the start of its id, or `last`; its folder, model and sandbox are the defaults
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Run in this process, not in the background worker; the run ends with this command
    #[arg(long)]
    pub(crate) no_resident: bool,

    /// Stop the agent after this many seconds without output
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, default_value = "300", help_heading = "Limits")]
    pub(crate) timeout: u64,

    /// Stop the agent after this many seconds in all
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, default_value = "1800", help_heading = "Limits")]
    pub(crate) max_duration: u64,

    /// Retries after a failure; never once the agent may have changed files
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(..=10), help_heading = "Limits")]
    pub(crate) max_retries: u32,

    /// Limit of the run: tokens (500k), money ('$0.50', if the price is known), time (10m) or 20turns; repeatable [default: unlimited]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget, help_heading = "Limits")]
    pub(crate) budget: Vec<Limits>,

    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: DataFormat,

    /// Also record the run in this file, with its live text, for `gemicro replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) record: Option<PathBuf>,

    /// Add tokens, cost and time to the JSON answer
    #[arg(long, help_heading = "Output")]
    pub(crate) metrics: bool,

    /// Add everything the agent printed to the JSON answer
    #[arg(long, help_heading = "Output")]
    pub(crate) all_messages: bool,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

/// An agent, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArg {
    /// Gemini CLI
    Gemini,
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
}

/// A sandbox mode, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// No writes
    ReadOnly,
    /// The folder, except .git and agent settings
    WorkspaceWrite,
    /// No sandbox: anything your account can do
    DangerFullAccess,
}

impl AskArgs {
    /// The agent as far as it is known before the request is read.
    pub(crate) fn tool(&self) -> &'static str {
        let named = self.agent.map(AgentName::from);
        let route = route(named, self.model.as_deref());
        route
            .map_or(named.unwrap_or(AgentName::Gemini), |route| route.agent)
            .as_str()
    }

    /// As a request; what is not said is as in the last turn of the session.
    pub(crate) fn request(
        &self,
        prompt: String,
        known: Option<&KnownSession>,
    ) -> Result<AskRequest, CommandError> {
        let limits = Limits::merge_all(self.budget.iter().copied())
            .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?;
        let agent = match (self.agent, &self.model) {
            (Some(agent), _) => Some(AgentName::from(agent)),
            // Whoever has the model.
            (None, Some(_)) => route(None, self.model.as_deref()).ok().map(|route| route.agent),
            (None, None) => None,
        };
        let of_same_agent = known.filter(|known| agent.is_none_or(|agent| agent == known.agent));
        Ok(AskRequest {
            turn: None,
            prompt,
            agent: agent.or_else(|| known.map(|known| known.agent)),
            model: self.model.clone().or_else(|| of_same_agent?.model.clone()),
            directory: match (&self.directory, known.and_then(|known| known.directory.as_ref())) {
                (Some(directory), _) => directory.clone(),
                (None, Some(directory)) => PathBuf::from(directory),
                (None, None) => PathBuf::from("."),
            },
            sandbox: match self.sandbox {
                Some(sandbox) => sandbox.into(),
                None => self
                    .template
                    .default_sandbox()
                    .or_else(|| known?.sandbox)
                    .unwrap_or_default(),
            },
            yolo: !self.no_yolo && known.and_then(|known| known.yolo).unwrap_or(true),
            session: known.map(|known| known.session.clone()),
            idle: Duration::from_secs(self.timeout),
            total: Duration::from_secs(self.max_duration),
            max_retries: self.max_retries,
            limits,
            fallback: self.fallback.clone(),
            keep_messages: self.all_messages,
            branch: self.branch.clone().or_else(|| known?.branch.clone()),
        })
    }

    /// What is wanted beside the answer.
    pub(crate) fn extras(&self) -> ToolExtras {
        ToolExtras {
            all_messages: self.all_messages,
            metrics: self.metrics,
        }
    }
}

impl From<AgentArg> for AgentName {
    fn from(agent: AgentArg) -> Self {
        match agent {
            AgentArg::Gemini => Self::Gemini,
            AgentArg::Claude => Self::Claude,
            AgentArg::Codex => Self::Codex,
        }
    }
}

impl From<Sandbox> for SandboxMode {
    fn from(sandbox: Sandbox) -> Self {
        match sandbox {
            Sandbox::ReadOnly => Self::ReadOnly,
            Sandbox::WorkspaceWrite => Self::WorkspaceWrite,
            Sandbox::DangerFullAccess => Self::DangerFullAccess,
        }
    }
}
