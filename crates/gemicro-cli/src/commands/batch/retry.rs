//! `gemicro batch retry`.

use clap::{Args, ValueEnum};
use gemicro_engine::{BatchAnswer, ItemState};

use super::print;
use super::print_answer::answer_format;
use super::service::Service;
use super::submit::continue_batch;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::signals;

/// Arguments of `gemicro batch retry`.
#[derive(Debug, Args)]
pub(crate) struct BatchRetryArgs {
    /// The batch: the start of its id, or `last`
    pub(crate) id: String,
    /// The tasks to run again [default: all that did not complete]
    #[arg(value_name = "TASK")]
    pub(crate) tasks: Vec<String>,
    /// Run only tasks in this state again, and tasks skipped because of them; repeatable
    #[arg(long, value_name = "STATE", value_enum, conflicts_with = "tasks")]
    pub(crate) only: Vec<RetryState>,
    /// Run in this process, not in the background worker, and wait for the results
    #[arg(long)]
    pub(crate) no_resident: bool,
    /// Output format; jsonl prints one task per line [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// A state in which a task can be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RetryState {
    /// The task ran and failed
    Failed,
    /// The task was stopped midway and may have changed something
    Interrupted,
    /// The task was cancelled
    Cancelled,
    /// The deadline passed
    Expired,
    /// A task that it depends on did not complete
    Skipped,
}

impl RetryState {
    fn state(self) -> ItemState {
        match self {
            Self::Failed => ItemState::Failed,
            Self::Interrupted => ItemState::Interrupted,
            Self::Cancelled => ItemState::Cancelled,
            Self::Expired => ItemState::Expired,
            Self::Skipped => ItemState::Skipped,
        }
    }
}

/// Does tasks again: in the batch itself while it is open, in a new one when it has ended.
pub(super) async fn retry(ctx: &Context, args: &BatchRetryArgs) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    let service = Service::open_with(ctx, &layers, &settings, args.no_resident).await?;
    let tasks = match args.only.is_empty() {
        true => args.tasks.clone(),
        false => in_states(&service.poll(&args.id).await?, &args.only)?,
    };
    let answer = service.retry(&args.id, &tasks).await?;
    let format = answer_format(args.format, &ctx.screen);
    print(&answer, format, &ctx.screen)?;
    continue_batch(ctx, &service, &answer, format, &stop).await
}

/// The tasks that are in one of these states.
fn in_states(answer: &BatchAnswer, only: &[RetryState]) -> Result<Vec<String>, CommandError> {
    let is_wanted = |state: ItemState| only.iter().any(|it| it.state() == state);
    let tasks = answer.results.iter().filter(|item| is_wanted(item.state));
    let tasks: Vec<String> = tasks.map(|item| item.task_id.clone()).collect();
    if tasks.is_empty() {
        let words: Vec<&str> = only.iter().map(|it| it.state().as_str()).collect();
        return Err(CommandError::usage(
            format!(
                "no task of batch {} is {}",
                answer.response_id,
                words.join(" or ")
            ),
            format!(
                "gemicro batch results {} --format text shows the state of each task",
                answer.response_id
            ),
        ));
    }
    Ok(tasks)
}
