//! `gemicro store`: maintenance of the store.

use clap::{Args, Subcommand};

use gemicro_engine::rebuild_boards;

use crate::output;
use crate::runtime;
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::trouble::Stopped;

/// Arguments of `gemicro store`.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

/// What can be done with the store.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Make the lists (runs, running steps) again from the events
    Rebuild,
}

/// Maintains the store.
pub(crate) fn run(ctx: &Context, args: &StoreArgs) -> Result<(), Stopped> {
    match args.command {
        StoreCommand::Rebuild => runtime::block_on(rebuild(ctx)),
    }
}

async fn rebuild(ctx: &Context) -> Result<(), Stopped> {
    let store = ctx.store().await?;
    let report = store.rebuild().await?;
    rebuild_boards(&store).await?;
    store.close().await;
    for error in &report.unreadable {
        output::say(&format!(
            "{} {}",
            ctx.screen.on_stderr().warn("warning:"),
            text::neutral(&error.to_string())
        ));
    }
    output::say(&format!(
        "Rebuilt the lists from {} events of {} runs and conversations.",
        numbers::thousands(report.n_events),
        numbers::thousands(report.n_streams)
    ));
    Ok(())
}
