//! The verbs of `gemicro batch`.

use clap::{Args, Subcommand};

use super::cancel::{self, CancelArgs};
use super::list::{self, ListArgs};
use super::poll::{self, PollArgs};
use super::results::{self, ResultsArgs};
use super::retry::{self, RetryArgs};
use super::schema::{self, SchemaArgs};
use super::server::ServerArgs;
use super::submit::{self, SubmitArgs};
use super::types::{self, TypesArgs};
use super::wait::{self, WaitArgs};
use crate::args::{DataFormat, day_budget_flag};
use crate::runtime;
use crate::session::Context;
use crate::trouble::Stopped;

const AFTER_HELP: &str = "\
Examples:
  gemicro batch submit tasks.json
  echo '[{\"task_id\": \"a\", \"type\": \"execute_shell_command\", \"parameters\": {\"command\": \"ls\"}}]' | gemicro batch submit -
  gemicro batch poll last
  gemicro batch wait last --timeout 600
  gemicro batch results last --format text
  gemicro batch retry last
  gemicro batch retry last --only interrupted

ID is the beginning of a batch's id (4 characters or more), or `last`.
A file holds an array of tasks, one task a line, or an object with `tasks`; docs/batch.md describes all of it.
Exit codes of `wait`, `results` and a `submit` or `retry` that carries the batch out itself: 0 when every task completed, 9
when only some did, 7 while it is pending, 10 when it waits for a person, and the exit code of the first failed task when
none completed.";

/// Arguments of `gemicro batch`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct BatchArgs {
    /// What to do.
    #[command(subcommand)]
    command: BatchCommand,
    /// Which server has them.
    #[command(flatten)]
    server: ServerArgs,
}

/// What can be done with batches.
#[derive(Debug, Subcommand)]
enum BatchCommand {
    /// Hand in a batch; prints its first answer, and the batch goes on without this command
    #[command(arg = day_budget_flag())]
    Submit(Box<SubmitArgs>),
    /// Print how a batch stands
    Poll(PollArgs),
    /// Wait until every task has its final state, and print the answer
    Wait(WaitArgs),
    /// Print the results that a batch has now
    Results(ResultsArgs),
    /// Stop some tasks of a batch, or all of it
    Cancel(CancelArgs),
    /// Run tasks again that did not complete; the others keep their outputs
    #[command(arg = day_budget_flag())]
    Retry(RetryArgs),
    /// List batches, the newest first
    List(ListArgs),
    /// List the types of tasks
    Types(TypesArgs),
    /// Print the JSON Schema of a type's parameters
    Schema(SchemaArgs),
}

impl BatchArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            BatchCommand::Submit(args) => args.format,
            BatchCommand::Poll(args) => args.format,
            BatchCommand::Wait(args) => args.format,
            BatchCommand::Results(args) => args.format,
            BatchCommand::Cancel(args) => args.format,
            BatchCommand::Retry(args) => args.format,
            BatchCommand::List(args) => args.format,
            BatchCommand::Types(args) => args.format,
            BatchCommand::Schema(_) => DataFormat::Text,
        }
    }
}

/// Works on batches.
pub(crate) fn run(ctx: &Context, args: &BatchArgs) -> Result<(), Stopped> {
    let ctx = &args.server.applied(ctx);
    match &args.command {
        BatchCommand::Submit(args) => submit::submit(ctx, args),
        BatchCommand::Poll(args) => runtime::block_on(poll::poll(ctx, args)),
        BatchCommand::Wait(args) => runtime::block_on(wait::wait(ctx, args)),
        BatchCommand::Results(args) => runtime::block_on(results::results(ctx, args)),
        BatchCommand::Cancel(args) => runtime::block_on(cancel::cancel(ctx, args)),
        BatchCommand::Retry(args) => runtime::block_on(retry::retry(ctx, args)),
        BatchCommand::List(args) => runtime::block_on(list::list(ctx, args)),
        BatchCommand::Types(args) => types::types(ctx, args),
        BatchCommand::Schema(args) => schema::schema(args),
    }
}
