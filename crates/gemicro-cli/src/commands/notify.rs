//! `gemicro notify`: tests the destinations of notifications.

use clap::{Args, Subcommand};
use gemicro_engine::Notifier;
use gemicro_event::ErrorKind;

use crate::command_error::CommandError;
use crate::config::NotifyConfig;
use crate::output;
use crate::runtime;
use crate::screen::text;
use crate::session::Context;

/// Arguments of `gemicro notify`.
#[derive(Debug, Args)]
pub(crate) struct NotifyArgs {
    #[command(subcommand)]
    pub(crate) command: NotifyCommand,
}

/// What can be done with notifications.
#[derive(Debug, Subcommand)]
pub(crate) enum NotifyCommand {
    /// Send a test notification to every destination
    Test,
}

/// Sends the test; fails if one destination did not get it.
pub(crate) fn run(ctx: &Context, args: &NotifyArgs) -> Result<(), CommandError> {
    let NotifyCommand::Test = args.command;
    let settings = NotifyConfig::resolve(&ctx.layers()?)?.settings;
    if settings.is_empty() {
        return Err(CommandError::usage(
            "no destination for notifications is set".to_owned(),
            "set `notify` or `[[webhook]]` in your settings: docs/notifications.md",
        ));
    }
    let outcomes = runtime::block_on(async { Ok(Notifier::test(&settings).await) })?;
    let mut n_failed = 0;
    for outcome in &outcomes {
        let result = match &outcome.error {
            None => "delivered".to_owned(),
            Some(error) => {
                n_failed += 1;
                format!("failed: {}", text::one_line(error))
            }
        };
        output::print(&format!("{}: {result}\n", outcome.target))?;
    }
    if n_failed == 0 {
        return Ok(());
    }
    let message = format!(
        "{n_failed} of {} destinations did not get the test",
        outcomes.len()
    );
    let hint = "fix the destination or its settings, then run `gemicro notify test` again";
    Err(CommandError::new_failure(ErrorKind::UpstreamError, message, hint))
}
