//! The subcommands of `gemicro skills`.

use clap::{Args, Subcommand};

use super::change::{self, SkillEditArgs, SkillNamesArgs};
use super::view::{self, SkillListArgs, SkillShowArgs};
use crate::args::{DataFormat, store_options};
use crate::command_error::CommandError;
use crate::runtime;
use crate::session::Context;

const AFTER_HELP: &str = "\
Examples:
  gemicro skills list
  gemicro skills show resolve-changelog
  gemicro skills approve resolve-changelog
  gemicro skills edit resolve-changelog --file new-steps.md

Agents of a pipeline can propose a skill after a merge conflict or after work
that was rejected twice. Agents use it only after you approve it; gemicro then
also writes it to .agents/skills and .claude/skills. See docs/memory.md.";

/// Arguments of `gemicro skills`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SkillsArgs {
    #[command(subcommand)]
    command: SkillsCommand,
}

/// What can be done with skills.
#[derive(Debug, Subcommand)]
enum SkillsCommand {
    /// List live and proposed skills, newest first
    #[command(args = store_options())]
    List(SkillListArgs),
    /// Show one skill with its instructions and its origin
    #[command(args = store_options())]
    Show(SkillShowArgs),
    /// Approve skills that agents proposed
    #[command(args = store_options())]
    Approve(SkillNamesArgs),
    /// Reject skills that agents proposed
    #[command(args = store_options())]
    Reject(SkillNamesArgs),
    /// Change a skill; the old version stays in the store
    #[command(args = store_options())]
    Edit(SkillEditArgs),
    /// Take skills out of use and delete their files
    #[command(args = store_options())]
    Remove(SkillNamesArgs),
}

impl SkillsArgs {
    /// How a failure is printed.
    pub(crate) fn format(&self) -> DataFormat {
        match &self.command {
            SkillsCommand::List(args) => args.place.format,
            SkillsCommand::Show(args) => args.place.format,
            SkillsCommand::Approve(args) | SkillsCommand::Reject(args) | SkillsCommand::Remove(args) => {
                args.place.format
            }
            SkillsCommand::Edit(args) => args.place.format,
        }
    }
}

pub(crate) fn run(ctx: &Context, args: &SkillsArgs) -> Result<(), CommandError> {
    match &args.command {
        SkillsCommand::List(args) => runtime::block_on(view::list(ctx, args)),
        SkillsCommand::Show(args) => runtime::block_on(view::show(ctx, args)),
        SkillsCommand::Approve(args) => runtime::block_on(change::approve(ctx, args)),
        SkillsCommand::Reject(args) => runtime::block_on(change::reject(ctx, args)),
        SkillsCommand::Edit(args) => runtime::block_on(change::edit(ctx, args)),
        SkillsCommand::Remove(args) => runtime::block_on(change::remove(ctx, args)),
    }
}
