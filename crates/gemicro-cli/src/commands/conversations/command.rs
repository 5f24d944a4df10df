//! The subcommands of `gemicro conversations`.

use clap::{Args, Subcommand};

use super::delete::{self, DeleteArgs};
use super::export::{self, ExportArgs};
use super::import::{self, ImportArgs};
use super::list::{self, ConversationListArgs};
use super::rename::{self, RenameArgs};
use super::render::{self, RenderArgs};
use super::show::{self, ConversationShowArgs};
use crate::args::{DataFormat, store_options};
use crate::command_error::CommandError;
use crate::runtime;
use crate::session::Context;

const AFTER_HELP: &str = "\
Examples:
  gemicro conversations import talk.jsonl --name \"the migration\"
  gemicro conversations render last --max-tokens 16000
  gemicro conversations export last copy.jsonl

ID is the start of a conversation's id (4 or more characters), or `last`.
Each line of a file is one turn, a JSON object with `turn`, `role` and `text`;
docs/conversations.md describes it.";

/// Arguments of `gemicro conversations`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ConversationsArgs {
    #[command(subcommand)]
    command: ConversationsCommand,
}

/// What can be done with conversations.
#[derive(Debug, Subcommand)]
enum ConversationsCommand {
    /// Import a conversation from a file and print its id
    #[command(args = store_options())]
    Import(ImportArgs),
    /// List conversations, newest first
    #[command(args = store_options())]
    List(ConversationListArgs),
    /// Print the turns of a conversation
    #[command(args = store_options())]
    Show(ConversationShowArgs),
    /// Export a conversation to a file
    #[command(args = store_options())]
    Export(ExportArgs),
    /// Rename a conversation
    #[command(args = store_options())]
    Rename(RenameArgs),
    /// Delete a conversation and its data
    #[command(args = store_options())]
    Delete(DeleteArgs),
    /// Preview the prompt that would be sent to a model
    #[command(args = store_options())]
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

pub(crate) fn run(ctx: &Context, args: &ConversationsArgs) -> Result<(), CommandError> {
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
