//! Checks the destinations of notifications, without contacting them.

use gemicro_engine::QueueFile;
use gemicro_event::Timestamp;

use super::finding::{DoctorFinding, attention, bad, good};
use crate::command_error::CommandError;
use crate::config::{Layers, NotifyConfig, StateFolder};
use crate::screen::numbers;
use crate::session::Context;

const WHAT: &str = "notifications";

/// Shows the destinations without their secrets, and what waits for them; `None` if the user wants no notifications.
pub(super) fn look(ctx: &Context) -> Option<DoctorFinding> {
    match find(ctx) {
        Ok(finding) => finding,
        Err(CommandError::Report(report)) => Some(bad(WHAT, report.failure.message.clone(), report.hint())),
        Err(CommandError::AlreadyReported(_) | CommandError::PipeClosed) => None,
    }
}

fn find(ctx: &Context) -> Result<Option<DoctorFinding>, CommandError> {
    let layers = Layers::load(&ctx.environment)?;
    let config = NotifyConfig::resolve(&layers)?;
    if config.settings.is_empty() {
        return Ok(None);
    }
    let names = config.settings.names().join(", ");
    let home = StateFolder::resolve(&layers)?.home.value;
    let state = match QueueFile::of(&home).read() {
        Ok(state) => state,
        Err(error) => {
            let fix = "delete the file; open notifications are lost".to_owned();
            return Ok(Some(bad(WHAT, error.to_string(), fix)));
        }
    };
    let n_failing = state.deliveries().iter().filter(|it| it.attempts > 0).count();
    let day_ago = Timestamp::now().as_millis() - 24 * 60 * 60 * 1_000;
    let n_given_up = state
        .given_up()
        .iter()
        .filter(|it| it.at.as_millis() > day_ago)
        .count();
    if n_failing + n_given_up == 0 {
        return Ok(Some(good(WHAT, names)));
    }
    let found = format!(
        "{names}; {} could not be delivered yet, {n_given_up} given up in the last day",
        numbers::count(n_failing, "notification")
    );
    Ok(Some(attention(
        WHAT,
        found,
        "check the destinations: gemicro notify test",
    )))
}
