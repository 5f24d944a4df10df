//! `gemicro batch poll`.

use clap::Args;

use super::print;
use super::print_answer::answer_format;
use super::service::Service;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::session::Context;

/// Arguments of `gemicro batch poll`.
#[derive(Debug, Args)]
pub(crate) struct PollArgs {
    /// The batch: the start of its id, or `last`
    pub(crate) id: String,
    /// Output format; jsonl prints one task per line [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// Prints how a batch stands. Whatever that is, asking succeeded.
pub(super) async fn poll(ctx: &Context, args: &PollArgs) -> Result<(), CommandError> {
    let service = Service::open(ctx).await?;
    let answer = service.poll(&args.id).await?;
    print(&answer, answer_format(args.format, &ctx.screen), &ctx.screen)?;
    service.report_if_died(ctx, &answer.response_id).await?;
    service.close().await;
    Ok(())
}
