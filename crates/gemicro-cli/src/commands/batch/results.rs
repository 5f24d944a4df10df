//! `gemicro batch results`.

use clap::Args;

use super::print_answer::answer_format;
use super::service::Service;
use super::{outcome, print};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::session::Context;

/// Arguments of `gemicro batch results`.
#[derive(Debug, Args)]
pub(crate) struct ResultsArgs {
    /// The batch: the start of its id, or `last`
    pub(crate) id: String,
    /// Output format; jsonl prints one task per line, in the order they were submitted [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// Prints what a batch has brought so far; the exit code says whether that is all.
pub(super) async fn results(ctx: &Context, args: &ResultsArgs) -> Result<(), CommandError> {
    let service = Service::open(ctx).await?;
    let answer = service.poll(&args.id).await?;
    service.close().await;
    print(&answer, answer_format(args.format, &ctx.screen), &ctx.screen)?;
    outcome(&answer)
}
