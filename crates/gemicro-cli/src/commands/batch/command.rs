//! The verbs of `gemicro batch`.

use clap::{Args, Subcommand};

use super::cancel::{self, BatchCancelArgs};
use super::list::{self, BatchListArgs};
use super::poll::{self, PollArgs};
use super::print_answer::answer_format;
use super::results::{self, ResultsArgs};
use super::retry::{self, BatchRetryArgs};
use super::schema::{self, SchemaArgs};
use super::server::ServerArgs;
use super::submit::{self, SubmitArgs};
use super::types::{self, TypesArgs};
use super::wait::{self, WaitArgs};
use crate::args::{DataFormat, spending_options, store_options};
use crate::command_error::CommandError;
use crate::runtime;
use crate::screen::Screen;
use crate::session::Context;

const AFTER_HELP: &str = "\
Examples:
  gemicro batch submit tasks.json
  cat tasks.json | gemicro batch submit -
  gemicro batch poll last
  gemicro batch wait last --timeout 600
  gemicro batch results last --format text
  gemicro batch retry last
  gemicro batch retry last --only interrupted

A file of tasks is a JSON array, or has one task per line:
  {\"task_id\": \"a\", \"type\": \"execute_shell_command\",
   \"parameters\": {\"command\": \"ls\"}}
docs/batch.md describes it. ID is the start of a batch's id (4 or more
characters), or `last`.

Exit codes of `wait`, `results`, and of `submit` and `retry` with --no-resident:
  0    every task completed
  7    some tasks have not ended yet
  9    only some tasks completed
  10   a task waits for an answer
  If no task completed, it is the exit code of the first failed task.";

/// Arguments of `gemicro batch`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    command: BatchCommand,
    /// Which server has them.
    #[command(flatten)]
    server: ServerArgs,
}

/// What can be done with batches.
#[derive(Debug, Subcommand)]
enum BatchCommand {
    /// Submit a batch and print its id; it runs in the background
    #[command(args = spending_options())]
    Submit(Box<SubmitArgs>),
    /// Print the current state of a batch
    #[command(args = store_options())]
    Poll(PollArgs),
    /// Wait until every task has ended, then print the results
    #[command(args = store_options())]
    Wait(WaitArgs),
    /// Print the results so far
    #[command(args = store_options())]
    Results(ResultsArgs),
    /// Cancel tasks of a batch, or all of it
    #[command(args = store_options())]
    Cancel(BatchCancelArgs),
    /// Rerun tasks that did not complete
    #[command(args = spending_options())]
    Retry(BatchRetryArgs),
    /// List batches, newest first
    #[command(args = store_options())]
    List(BatchListArgs),
    /// List the task types
    Types(TypesArgs),
    /// Print the JSON Schema of a task type's parameters
    Schema(SchemaArgs),
}

impl BatchArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self, screen: &Screen) -> DataFormat {
        let given = match &self.command {
            BatchCommand::Submit(args) => args.format,
            BatchCommand::Poll(args) => args.format,
            BatchCommand::Wait(args) => args.format,
            BatchCommand::Results(args) => args.format,
            BatchCommand::Cancel(args) => args.format,
            BatchCommand::Retry(args) => args.format,
            BatchCommand::List(args) => Some(args.format),
            BatchCommand::Types(args) => Some(args.format),
            BatchCommand::Schema(_) => Some(DataFormat::Text),
        };
        answer_format(given, screen)
    }
}

pub(crate) fn run(ctx: &Context, args: &BatchArgs) -> Result<(), CommandError> {
    let ctx = &args.server.apply_server(ctx);
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
