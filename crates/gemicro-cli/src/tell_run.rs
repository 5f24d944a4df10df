//! Sends a command to a run, whichever process drives it, and reports what became of it.

use gemicro_core::command::AgentCommand;
use gemicro_core::run::RunRow;
use gemicro_engine::{LocalRunService, RunService, tell};
use gemicro_event::{ErrorKind, RunStatus};

use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::session::{Context, find_run};

/// Sends the command that `command` makes for a run. A run that no process drives gets it when it is resumed.
pub(crate) fn tell_run(
    ctx: &Context,
    named: &str,
    command: impl FnOnce(&RunRow) -> Result<AgentCommand, CommandError>,
    done: &str,
) -> Result<(), CommandError> {
    runtime::block_on(async {
        let here = LocalRunService::new(ctx.plain_engine().await?);
        let result = send(ctx, &here, named, command, done).await;
        here.engine().close().await;
        result
    })
}

async fn send(
    ctx: &Context,
    here: &LocalRunService,
    named: &str,
    command: impl FnOnce(&RunRow) -> Result<AgentCommand, CommandError>,
    done: &str,
) -> Result<(), CommandError> {
    let store = here.engine().store();
    let id = find_run(store, named).await?;
    let row = store.run(&id).await?;
    let command = command(&row)?;
    let command = match ctx.environment.user() {
        Some(who) => command.by(&who),
        None => command,
    };
    let delivered = match row.status {
        // No process drives it, so there is nothing to wait for.
        RunStatus::Suspended => here.send(&id, command).await.map(|_| false),
        _ => tell(here, &id, command).await.map(|()| true),
    };
    let saved = || {
        format!(
            "Saved for run {id}, which is not running. It counts when you continue it: gemicro resume {id}"
        )
    };
    match delivered {
        Ok(true) => output::say(&format!("{done} (run {id})")),
        Ok(false) => output::say(&saved()),
        Err(failure) if failure.kind == ErrorKind::StillRunning => output::say(&saved()),
        Err(failure) => {
            let hint = format!("`gemicro show {id}` shows its state");
            return Err(CommandError::from(failure).with_hint(hint));
        }
    }
    Ok(())
}
