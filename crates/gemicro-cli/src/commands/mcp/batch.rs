//! The parameters of the tool for batches as a request, under the settings of this machine.

use gemicro_engine::BatchRequest;
use gemicro_event::Failure;
use gemicro_mcp::BatchParameters;

use crate::commands::batch;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::trouble::Stopped;

/// How a batch may work.
///
/// # Errors
/// When a setting is wrong or missing.
pub(super) fn request(ctx: &Context, parameters: BatchParameters) -> Result<BatchRequest, Failure> {
    let resolved = || -> Result<BatchRequest, Stopped> {
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        batch::request(parameters.batch, &layers, &settings, &parameters.directory)
    };
    resolved().map_err(Stopped::into_failure)
}
