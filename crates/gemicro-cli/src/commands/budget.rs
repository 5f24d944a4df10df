//! `gemicro budget`: changes the limits of a run.

use clap::Args;
use gemicro_core::budget::Limits;
use gemicro_core::command::AgentCommand;

use crate::command_error::CommandError;
use crate::config::readers::parse_budget;
use crate::session::Context;
use crate::tell_run::tell_run;

/// Arguments of `gemicro budget`.
#[derive(Debug, Args)]
#[command(after_help = "Limits that you do not name stay. What is already spent counts.")]
pub(crate) struct BudgetArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// The new limit: tokens 50k, money $0.50, time 10m, turns 12turns, several with commas, or unlimited
    #[arg(value_parser = parse_budget)]
    pub(crate) amount: Limits,
}

/// Raises or lowers the limits of a run.
pub(crate) fn run(ctx: &Context, args: &BudgetArgs) -> Result<(), CommandError> {
    let done = format!("Changed the budget to {}.", args.amount);
    tell_run(
        ctx,
        &args.run,
        |_| Ok(AgentCommand::adjust_budget(&args.amount)),
        &done,
    )
}
