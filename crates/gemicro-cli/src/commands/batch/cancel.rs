//! `gemicro batch cancel`.

use clap::Args;

use super::print;
use super::print_answer::answer_format;
use super::service::Service;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::session::Context;

/// Arguments of `gemicro batch cancel`.
#[derive(Debug, Args)]
pub(crate) struct BatchCancelArgs {
    /// The batch: the start of its id, or `last`
    pub(crate) id: String,
    /// The tasks to cancel [default: the whole batch]
    #[arg(value_name = "TASK")]
    pub(crate) tasks: Vec<String>,
    /// The reason, recorded in the journal
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// Output format; jsonl prints one task per line [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// Stops tasks and prints how the batch stands then.
pub(super) async fn cancel(ctx: &Context, args: &BatchCancelArgs) -> Result<(), CommandError> {
    let service = Service::open(ctx).await?;
    let answer = service.cancel(&args.id, &args.tasks, &args.reason).await?;
    service.close().await;
    print(&answer, answer_format(args.format, &ctx.screen), &ctx.screen)
}
