//! `gemicro batch wait`.

use std::time::Duration;

use clap::Args;

use super::service::Service;
use super::{outcome, print};
use crate::args::DataFormat;
use crate::config::readers::parse_seconds;
use crate::session::Context;
use crate::signals;
use crate::trouble::Stopped;

/// Arguments of `gemicro batch wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// The batch: the beginning of its id, or `last`
    pub(crate) id: String,
    /// Wait at most so long; then the answer is printed as it is, and the exit code is 7
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<u64>,
    /// How the answer is printed; jsonl prints one task a line
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: DataFormat,
}

/// Waits for a batch. Leaving does not end it.
pub(super) async fn wait(ctx: &Context, args: &WaitArgs) -> Result<(), Stopped> {
    let stop = signals::listen()?;
    let service = Service::open(ctx).await?;
    let at_most = args.timeout.map(Duration::from_secs);
    let answer = service.wait(ctx, &args.id, at_most, &stop).await?;
    service.close().await;
    print(&answer, args.format, &ctx.screen)?;
    outcome(&answer)
}
