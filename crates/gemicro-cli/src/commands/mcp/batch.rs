//! Turns a batch submitted to a server into a request, with the settings of this machine.

use std::path::Path;

use gemicro_engine::{BatchRequest, SubmittedBatch};
use gemicro_event::Failure;

use crate::command_error::CommandError;
use crate::commands::batch;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;

/// The batch with the settings for it.
///
/// # Errors
/// When a setting is wrong or missing.
pub(crate) fn request(
    ctx: &Context,
    submitted: SubmittedBatch,
    directory: &Path,
) -> Result<BatchRequest, Failure> {
    let resolved = || -> Result<BatchRequest, CommandError> {
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        batch::request(submitted, &layers, &settings, directory)
    };
    resolved().map_err(CommandError::into_failure)
}
