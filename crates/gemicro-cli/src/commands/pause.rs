//! `gemicro pause`: suspends a run, so that `gemicro resume` continues it.

use clap::Args;
use gemicro_engine::{LocalRunService, PauseOutcome, pause};
use gemicro_event::ErrorKind;

use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::session::{Context, find_run, run_error};

/// Arguments of `gemicro pause`.
#[derive(Debug, Args)]
#[command(
    after_help = "No new step starts. Commands and agents that cannot be repeated finish first; \
                  `gemicro cancel RUN` stops them at once."
)]
pub(crate) struct PauseArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
}

/// Pauses a run, whichever process drives it.
pub(crate) fn run(ctx: &Context, args: &PauseArgs) -> Result<(), CommandError> {
    runtime::block_on(async {
        let engine = ctx.plain_engine().await?;
        let id = find_run(engine.store(), &args.run).await?;
        let row = engine.store().run(&id).await?;
        let batch = row.parent_run.filter(|_| row.part_of_parent);
        let here = LocalRunService::new(engine);
        let outcome = pause(&here, &id).await;
        here.engine().close().await;
        let outcome = outcome.map_err(|failure| match failure.kind {
            ErrorKind::Conflict => CommandError::from(failure).with_hint(match &batch {
                Some(batch) => format!("gemicro pause {batch}"),
                None => format!("`gemicro resume {id}` continues it, `gemicro cancel {id}` ends it"),
            }),
            _ => run_error(failure, &id),
        })?;
        output::say(&match outcome {
            PauseOutcome::Paused => format!("Run {id} is paused. Continue with: gemicro resume {id}"),
            PauseOutcome::AlreadyPaused => {
                format!("Run {id} was paused already. Continue with: gemicro resume {id}")
            }
            PauseOutcome::Requested => {
                format!(
                    "Run {id} starts no new steps and pauses when its running steps have finished.\n  Watch it: gemicro \
                     events {id} --follow --format text\n  To stop them at once: gemicro cancel {id}"
                )
            }
            PauseOutcome::AlreadyEnded => {
                format!("Run {id} has already ended. Show it with: gemicro show {id}")
            }
        });
        Ok(())
    })
}
