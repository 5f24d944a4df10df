//! The verbs of `gemicro conversations`.

use clap::{Args, Subcommand};

use super::delete::{self, DeleteArgs};
use super::export::{self, ExportArgs};
use super::import::{self, ImportArgs};
use super::list::{self, ListArgs};
use super::rename::{self, RenameArgs};
use super::render::{self, RenderArgs};
use super::show::{self, ShowArgs};
use crate::args::DataFormat;
use crate::runtime;
use crate::session::Context;
use crate::trouble::Stopped;

const AFTER_HELP: &str = "\
Examples:
  gemicro conversations import talk.jsonl --name \"the migration\"
  gemicro conversations render last --max-tokens 16000 --report report.json
  gemicro conversations export last copy.jsonl

ID is the beginning of a conversation's id (4 characters or more), or `last`.
Each line of a file of turns is a JSON object with `turn`, `role` and `text`; docs/conversations.md describes it.";

/// Arguments of `gemicro conversations`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ConversationsArgs {
    /// What to do.
    #[command(subcommand)]
    command: ConversationsCommand,
}

/// What can be done with conversations.
#[derive(Debug, Subcommand)]
enum ConversationsCommand {
    /// Store a conversation from a file of turns, and print its id
    Import(ImportArgs),
    /// List conversations, the newest first
    List(ListArgs),
    /// Print the turns of a conversation
    Show(ShowArgs),
    /// Write a conversation as a file of turns
    Export(ExportArgs),
    /// Give a conversation another name
    Rename(RenameArgs),
    /// Delete a conversation and what it stored
    Delete(DeleteArgs),
    /// Print the prompt that would be sent: all of it, or what fits
    Render(RenderArgs),
}

impl ConversationsArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            ConversationsCommand::Import(args) => args.format,
            ConversationsCommand::List(args) => args.format,
            ConversationsCommand::Show(args) => args.format,
            ConversationsCommand::Export(_)
            | ConversationsCommand::Rename(_)
            | ConversationsCommand::Delete(_)
            | ConversationsCommand::Render(_) => DataFormat::Text,
        }
    }
}

/// Works on conversations.
pub(crate) fn run(ctx: &Context, args: &ConversationsArgs) -> Result<(), Stopped> {
    match &args.command {
        ConversationsCommand::Import(args) => runtime::block_on(import::import(ctx, args)),
        ConversationsCommand::List(args) => runtime::block_on(list::list(ctx, args)),
        ConversationsCommand::Show(args) => runtime::block_on(show::show(ctx, args)),
        ConversationsCommand::Export(args) => runtime::block_on(export::export(ctx, args)),
        ConversationsCommand::Rename(args) => runtime::block_on(rename::rename(ctx, args)),
        ConversationsCommand::Delete(args) => runtime::block_on(delete::delete(ctx, args)),
        ConversationsCommand::Render(args) => runtime::block_on(render::render(ctx, args)),
    }
}
