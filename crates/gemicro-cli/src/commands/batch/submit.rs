//! `gemicro batch submit`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gemicro_core::budget::Limits;
use gemicro_core::drive::StopSignals;
use gemicro_engine::{BatchAnswer, BatchStatus, OnFailure, SubmittedBatch};
use gemicro_event::{ErrorKind, Failure, StreamId};

use super::print_answer::answer_format;
use super::service::Service;
use super::{input, outcome, print, request, server};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::readers::parse_budget;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::recorder::{RunRecorder, write_recorded};
use crate::session::Context;
use crate::{output, runtime, signals};

/// Bytes of a key.
const MAX_KEY_BYTES: usize = 128;
/// The latest deadline: 30 days.
const MAX_DEADLINE_SECONDS: u64 = 30 * 24 * 3_600;

/// Arguments of `gemicro batch submit`.
#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The file with the tasks; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A key for the batch; submitting it twice with the same key runs it once
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    pub(crate) key: Option<String>,
    /// The folder the tasks work in; they cannot leave it [default: this one]
    #[arg(
        long = "dir",
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    pub(crate) directory: PathBuf,
    /// The model of tasks that name none
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Limit of the whole batch: tokens (500k), money ('$0.50', if the price is known) or time (10m); repeatable
    #[arg(long, value_name = "AMOUNT", value_parser = parse_budget)]
    pub(crate) budget: Vec<Limits>,
    /// What happens to the other tasks when one fails
    #[arg(long, value_name = "POLICY", value_enum)]
    pub(crate) on_failure: Option<Policy>,
    /// Stop the batch after this many seconds
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(1..=MAX_DEADLINE_SECONDS))]
    pub(crate) deadline: Option<u64>,
    /// Run in this process, not in the background worker, and wait for the results
    #[arg(long)]
    pub(crate) no_resident: bool,
    /// Also record the batch in this file when it ends, for `gemicro replay`
    #[arg(long, value_name = "FILE", requires = "no_resident")]
    pub(crate) record: Option<PathBuf>,
    /// Output format; jsonl prints one task per line [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,
}

/// What a failed task means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// Keep going; only tasks that depend on it are skipped
    Continue,
    /// Start no more tasks; running tasks finish
    Stop,
}

/// Hands a batch in.
pub(super) fn submit(ctx: &Context, args: &SubmitArgs) -> Result<(), CommandError> {
    let budget = Limits::merge_all(args.budget.iter().copied())
        .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?;
    let flags = ResearchFlags {
        model: args.model.clone().map(Some),
        budget: (!args.budget.is_empty()).then_some(budget),
        ..ResearchFlags::default()
    };
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, flags)?;
    if server::is_named(ctx) {
        args.check_remote()?;
    }
    // Everything that can be refused is refused before the store is opened.
    let batch = args.complete(input::read(ctx, &args.file)?)?;
    let request = request(batch, &layers, &settings, &args.directory)?;
    let recorder = RunRecorder::new(args.record.as_deref())?;
    runtime::block_on(async {
        let stop = signals::listen()?;
        let service = Service::open_with(ctx, &layers, &settings, args.no_resident).await?;
        let answer = service.submit(request).await?;
        let format = answer_format(args.format, &ctx.screen);
        print(&answer, format, &ctx.screen)?;
        let outcome = continue_batch(ctx, &service, &answer, format, &stop).await;
        let id = StreamId::new(answer.response_id);
        let id = id.map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
        write_recorded(ctx, recorder.as_ref(), &id, outcome).await
    })
}

/// A batch that was begun continues in the worker; in this process it is carried out to its end.
pub(super) async fn continue_batch(
    ctx: &Context,
    service: &Service,
    answer: &BatchAnswer,
    format: DataFormat,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    let id = &answer.response_id;
    if !service.is_here() {
        // Nothing of it continues where every task was rejected, or where its key stands for a batch that has ended.
        if answer.status != BatchStatus::Pending {
            return outcome(answer);
        }
        if ctx.screen.stderr_is_terminal || format == DataFormat::Jsonl {
            output::say(&format!(
                "It runs in the background. Wait for it: gemicro batch wait {id} --format text"
            ));
        }
        return Ok(());
    }
    let last = match answer.status {
        BatchStatus::Pending => {
            service.resume(id, stop).await?;
            let last = service.wait(ctx, id, None, stop).await?;
            print(&last, format, &ctx.screen)?;
            if last.status == BatchStatus::Pending {
                service.suspend(id).await;
            }
            last
        }
        BatchStatus::Completed | BatchStatus::Failed => answer.clone(),
    };
    service.close().await;
    outcome(&last)
}

impl SubmitArgs {
    /// A server decides by itself where and how tasks work.
    fn check_remote(&self) -> Result<(), CommandError> {
        let given = [
            ("--dir", self.directory != Path::new(".")),
            ("--model", self.model.is_some()),
            ("--budget", !self.budget.is_empty()),
            ("--no-resident", self.no_resident),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((flag, _)) => Err(CommandError::usage(
                format!("{flag} is only for batches on this machine; a server has its own settings"),
                format!("remove {flag} or --server"),
            )),
        }
    }

    /// The batch with what was said on the command line; what it says itself cannot be contradicted.
    fn complete(&self, batch: SubmittedBatch) -> Result<SubmittedBatch, CommandError> {
        let on_failure = match (self.on_failure, batch.on_failure) {
            (None, own) => own,
            (Some(Policy::Stop), OnFailure::Continue | OnFailure::Stop) => OnFailure::Stop,
            (Some(Policy::Continue), OnFailure::Continue) => OnFailure::Continue,
            (Some(Policy::Continue), OnFailure::Stop) => {
                return Err(contradiction_error("--on-failure", "stop", "continue"));
            }
        };
        Ok(SubmittedBatch {
            key: one("--key", batch.key, self.key.clone())?,
            deadline_seconds: one("--deadline", batch.deadline_seconds, self.deadline)?,
            on_failure,
            ..batch
        })
    }
}

fn one<T: PartialEq + std::fmt::Display>(
    flag: &str,
    own: Option<T>,
    given: Option<T>,
) -> Result<Option<T>, CommandError> {
    match (own, given) {
        (Some(own), Some(given)) if own != given => {
            Err(contradiction_error(flag, &own.to_string(), &given.to_string()))
        }
        (own, given) => Ok(own.or(given)),
    }
}

fn contradiction_error(flag: &str, own: &str, given: &str) -> CommandError {
    CommandError::usage(
        format!("{flag} says {given}, but the batch says {own}"),
        format!("remove {flag}, or change the batch"),
    )
}

fn parse_key(text: &str) -> Result<String, String> {
    match (1..=MAX_KEY_BYTES).contains(&text.len()) && !text.contains(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a key has 1 to {MAX_KEY_BYTES} bytes and no control characters"
        )),
    }
}
