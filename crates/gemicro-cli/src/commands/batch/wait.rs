//! `gemicro batch wait`.

use std::time::Duration;

use clap::Args;

use super::print_answer::answer_format;
use super::service::Service;
use super::{outcome, print};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::readers::parse_seconds;
use crate::session::Context;
use crate::signals;

/// Arguments of `gemicro batch wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// The batch: the start of its id, or `last`
    pub(crate) id: String,
    /// Wait at most this long; then print the current state and exit with 7
    #[arg(long, value_name = "SECS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<u64>,
    /// Output format; jsonl prints one task per line [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// Waits for a batch. Leaving does not end it.
pub(super) async fn wait(ctx: &Context, args: &WaitArgs) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let service = Service::open(ctx).await?;
    let at_most = args.timeout.map(Duration::from_secs);
    let answer = service.wait(ctx, &args.id, at_most, &stop).await?;
    service.close().await;
    print(&answer, answer_format(args.format, &ctx.screen), &ctx.screen)?;
    outcome(&answer)
}
