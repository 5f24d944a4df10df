//! The subcommands of `gemicro memory`.

use clap::{Args, Subcommand};

use super::change::{self, AddArgs, EditArgs, EntryIdsArgs};
use super::view::{self, MemoryListArgs, MemorySearchArgs, MemoryShowArgs};
use crate::args::{DataFormat, store_options};
use crate::command_error::CommandError;
use crate::runtime;
use crate::session::Context;

const AFTER_HELP: &str = "\
Examples:
  gemicro memory add --kind rule \"Run the tests with make check\"
  gemicro memory list
  gemicro memory approve m3f9a1
  gemicro memory search \"flaky tests\"

ID is the start of an entry's id. The live entries are also in AGENT_MEMORY.md,
where you can change, add and delete them. Lessons that agents propose are used
only after you approve them. docs/memory.md describes it.";

/// Arguments of `gemicro memory`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

/// What can be done with the memory.
#[derive(Debug, Subcommand)]
enum MemoryCommand {
    /// List live and proposed entries, newest first
    #[command(args = store_options())]
    List(MemoryListArgs),
    /// Show one entry with its origin
    #[command(args = store_options())]
    Show(MemoryShowArgs),
    /// Add an entry and print its id
    #[command(args = store_options())]
    Add(AddArgs),
    /// Approve lessons that agents proposed
    #[command(args = store_options())]
    Approve(EntryIdsArgs),
    /// Reject lessons that agents proposed
    #[command(args = store_options())]
    Reject(EntryIdsArgs),
    /// Change an entry
    #[command(args = store_options())]
    Edit(EditArgs),
    /// Take entries out of use
    #[command(args = store_options())]
    Expire(EntryIdsArgs),
    /// Find entries by their words
    #[command(args = store_options())]
    Search(MemorySearchArgs),
}

impl MemoryArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            MemoryCommand::List(args) => args.place.format,
            MemoryCommand::Show(args) => args.place.format,
            MemoryCommand::Add(args) => args.place.format,
            MemoryCommand::Approve(args) | MemoryCommand::Reject(args) | MemoryCommand::Expire(args) => {
                args.place.format
            }
            MemoryCommand::Edit(args) => args.place.format,
            MemoryCommand::Search(args) => args.place.format,
        }
    }
}

pub(crate) fn run(ctx: &Context, args: &MemoryArgs) -> Result<(), CommandError> {
    match &args.command {
        MemoryCommand::List(args) => runtime::block_on(view::list(ctx, args)),
        MemoryCommand::Show(args) => runtime::block_on(view::show(ctx, args)),
        MemoryCommand::Add(args) => runtime::block_on(change::add(ctx, args)),
        MemoryCommand::Approve(args) => runtime::block_on(change::approve(ctx, args)),
        MemoryCommand::Reject(args) => runtime::block_on(change::reject(ctx, args)),
        MemoryCommand::Edit(args) => runtime::block_on(change::edit(ctx, args)),
        MemoryCommand::Expire(args) => runtime::block_on(change::expire(ctx, args)),
        MemoryCommand::Search(args) => runtime::block_on(view::search(ctx, args)),
    }
}
