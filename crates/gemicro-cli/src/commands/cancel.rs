//! `gemicro cancel`: ends a run permanently, whichever process drives it.

use clap::Args;
use gemicro_engine::CancelOutcome;

use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::session::{Context, find_run, run_error};

/// Arguments of `gemicro cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// The reason, recorded in the journal
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
}

pub(crate) fn run(ctx: &Context, args: &CancelArgs) -> Result<(), CommandError> {
    runtime::block_on(async {
        let engine = ctx.plain_engine().await?;
        let id = find_run(engine.store(), &args.run).await?;
        let outcome = engine
            .cancel(&id, &args.reason)
            .await
            .map_err(|failure| run_error(failure, &id))?;
        engine.close().await;
        output::say(&match outcome {
            CancelOutcome::Cancelled => format!("Run {id} is cancelled."),
            CancelOutcome::Requested => {
                format!("Run {id} is being cancelled. Watch it: gemicro events {id} --follow --format text")
            }
            CancelOutcome::AlreadyEnded => {
                format!("Run {id} has already ended. Show it with: gemicro show {id}")
            }
        });
        Ok(())
    })
}
