//! `gemicro batch retry`.

use clap::Args;

use super::print;
use super::service::Service;
use super::submit::begun;
use crate::args::DataFormat;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::signals;
use crate::trouble::Stopped;

/// Arguments of `gemicro batch retry`.
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    /// The batch: the beginning of its id, or `last`
    pub(crate) id: String,
    /// The tasks to do again; without one all that have no output
    #[arg(value_name = "TASK")]
    pub(crate) tasks: Vec<String>,
    /// Carry it out in this process, not in the resident worker, and print the final answer too
    #[arg(long)]
    pub(crate) no_resident: bool,
    /// How answers are printed; jsonl prints one task a line
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: DataFormat,
}

/// Does tasks again: in the batch itself while it is open, in a new one when it has ended.
pub(super) async fn retry(ctx: &Context, args: &RetryArgs) -> Result<(), Stopped> {
    let stop = signals::listen()?;
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    let service = Service::open_with(ctx, &layers, &settings, args.no_resident).await?;
    let answer = service.retry(&args.id, &args.tasks).await?;
    print(&answer, args.format, &ctx.screen)?;
    begun(ctx, &service, &answer, args.format, &stop).await
}
