//! The subcommands of `gemicro sim`.

use clap::{Args, Subcommand};

use super::agent::{self, AgentArgs};
use super::record::{self, RecordArgs};
use super::scenarios::{self, ScenariosArgs};
use super::serve::{self, SimServeArgs};
use crate::args::{DataFormat, log_options};
use crate::command_error::CommandError;
use crate::runtime;
use crate::session::Context;

/// Arguments of `gemicro sim`.
#[derive(Debug, Args)]
pub(crate) struct SimArgs {
    #[command(subcommand)]
    command: SimCommand,
}

/// What can be done with simulated APIs.
#[derive(Debug, Subcommand)]
enum SimCommand {
    /// Serve a simulated model API from a scenario, until Ctrl-C
    #[command(args = log_options())]
    Serve(SimServeArgs),
    /// Record the traffic to a real API as a scenario
    #[command(args = log_options())]
    Record(RecordArgs),
    /// List the built-in scenarios
    Scenarios(ScenariosArgs),
    /// Imitate an agent CLI from a script, for tests
    Agent(AgentArgs),
}

impl SimArgs {
    /// How the data is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            SimCommand::Serve(args) => args.format,
            SimCommand::Record(args) => args.format,
            SimCommand::Scenarios(args) => args.format,
            SimCommand::Agent(_) => DataFormat::Text,
        }
    }
}

/// Serves, records, lists or plays. Needs no key and no state folder.
pub(crate) fn run(ctx: &Context, args: &SimArgs) -> Result<(), CommandError> {
    match &args.command {
        SimCommand::Serve(args) => runtime::block_on(serve::serve(ctx, args)),
        SimCommand::Record(args) => runtime::block_on(record::record(ctx, args)),
        SimCommand::Scenarios(args) => scenarios::list(args),
        SimCommand::Agent(args) => agent::play(args),
    }
}
