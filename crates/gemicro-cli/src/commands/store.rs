//! `gemicro store`: maintenance of the store.

use clap::{Args, Subcommand};

use gemicro_engine::rebuild_boards;
use gemicro_event::ErrorKind;
use gemicro_store::{ContentsCheck, DurableStore};
use serde_json::json;

use crate::args::{DataFormat, store_options};
use crate::command_error::CommandError;
use crate::config::StateFolder;
use crate::output;
use crate::runtime;
use crate::screen::{numbers, text};
use crate::session::Context;

/// Arguments of `gemicro store`.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

/// What can be done with the store.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Rebuild the lists of runs and steps from the events
    #[command(args = store_options())]
    Rebuild,
    /// Read the whole store and report what is damaged or missing
    #[command(args = store_options())]
    Check {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: DataFormat,
    },
    /// Accept that events are lost after a restore from an older copy
    #[command(args = store_options())]
    AcceptLoss,
}

pub(crate) fn run(ctx: &Context, args: &StoreArgs) -> Result<(), CommandError> {
    match args.command {
        StoreCommand::Rebuild => runtime::block_on(rebuild(ctx)),
        StoreCommand::Check { format } => runtime::block_on(check(ctx, format)),
        StoreCommand::AcceptLoss => runtime::block_on(accept_loss(ctx)),
    }
}

async fn check(ctx: &Context, format: DataFormat) -> Result<(), CommandError> {
    let store = ctx.store().await?;
    let check = store.check_contents().await;
    store.close().await;
    print_check(&check, format)?;
    match check.problems.len() {
        0 => Ok(()),
        n_problems => Err(CommandError::new_failure(
            ErrorKind::StorageError,
            format!("the store has {}", numbers::count(n_problems, "problem")),
            "restore a backup of the whole state folder, blobs included; `gemicro store rebuild` repairs lists, `gemicro \
             prune --run RUN` deletes a damaged run",
        )),
    }
}

fn print_check(check: &ContentsCheck, format: DataFormat) -> Result<(), CommandError> {
    if format != DataFormat::Text {
        let problems: Vec<String> = check.problems.iter().map(ToString::to_string).collect();
        let object = json!({
            "n_streams": check.n_streams,
            "n_events": check.n_events,
            "n_not_covered": check.n_unsealed,
            "n_blobs": check.n_blobs,
            "problems": problems,
        });
        return output::print(&format!("{object}\n"));
    }
    let mut words = format!(
        "Read {} events of {} runs and conversations, and {} files.\n",
        numbers::thousands(check.n_events),
        numbers::thousands(check.n_streams),
        numbers::thousands(check.n_blobs)
    );
    if check.n_unsealed > 0 {
        words.push_str(&format!(
            "{} events are from an older gemicro and not covered by checksums.\n",
            numbers::thousands(check.n_unsealed)
        ));
    }
    for problem in &check.problems {
        words.push_str(&format!("✗ {}\n", text::neutral(&problem.to_string())));
    }
    if check.problems.is_empty() {
        words.push_str("No damage found.\n");
    }
    output::print(&words)
}

async fn accept_loss(ctx: &Context) -> Result<(), CommandError> {
    let state = StateFolder::resolve(&ctx.layers()?)?;
    if state.store.value.is_some() {
        return Err(CommandError::usage(
            "accept-loss applies only to the local store",
            "remove --store and GEMICRO_STORE to use the store in the state folder",
        ));
    }
    let n_lost = DurableStore::accept_loss(&state.home.value).await?;
    output::say(&match n_lost {
        0 => "No events are missing.".to_owned(),
        n_lost => format!(
            "The loss of {} events is accepted. The store works again; `gemicro store check` verifies it.",
            numbers::thousands(n_lost)
        ),
    });
    Ok(())
}

async fn rebuild(ctx: &Context) -> Result<(), CommandError> {
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
