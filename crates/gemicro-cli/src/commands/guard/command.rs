//! The subcommands of `gemicro guard`.

use clap::{Args, Subcommand};

use super::check::{self, CheckArgs};
use super::explain::{self, ExplainArgs};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::session::Context;

/// Arguments of `gemicro guard`.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    pub(crate) command: GuardCommand,
}

/// What the guard can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Decide on a tool call from stdin, in the format of an agent's hook
    #[command(after_help = check::AFTER_HELP)]
    Check(CheckArgs),
    /// Say whether a command is allowed, and if not, why and what to do instead
    #[command(after_help = explain::AFTER_HELP)]
    Explain(ExplainArgs),
}

impl GuardArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            // It prints its own answer, even when it fails.
            GuardCommand::Check(_) => DataFormat::Text,
            GuardCommand::Explain(args) => args.format,
        }
    }
}

pub(crate) fn run(ctx: &Context, args: &GuardArgs) -> Result<(), CommandError> {
    match &args.command {
        GuardCommand::Check(args) => match check::run(args) {
            0 => Ok(()),
            code => Err(CommandError::AlreadyReported(code)),
        },
        GuardCommand::Explain(args) => explain::run(ctx, args),
    }
}
