//! How a batch that was handed in may work: as one of `gemicro batch`, in the server's folder.

use gemicro_engine::{BatchRequest, Submitted};
use gemicro_event::Failure;

use crate::commands::batch;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::trouble::Stopped;

/// A batch with how it may work.
///
/// # Errors
/// When a setting is wrong or missing.
pub(super) fn request(ctx: &Context, submitted: Submitted) -> Result<BatchRequest, Failure> {
    let resolved = || -> Result<BatchRequest, Stopped> {
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        batch::request(submitted, &layers, &settings, &ctx.environment.folder)
    };
    resolved().map_err(Stopped::into_failure)
}
