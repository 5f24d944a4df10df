//! `gemicro replay`: a recording run again by the same driver and shown by the same views.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use gemicro_core::drive::StopSignals;
use gemicro_core::store::StreamKind;
use gemicro_engine::RunSighting;
use gemicro_recording::RecordedStream;

use super::{conversations, show};
use crate::answer_source::AnswerSource;
use crate::args::PrintFormat;
use crate::command_error::{CommandError, STOPPED};
use crate::flow_table::{ResumedFlow, flow_row};
use crate::replayer::{ReplayOptions, Replayer, difference_of, differs, load_workflow};
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::{output, runtime, signals, update_recording};

/// Arguments of `gemicro replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The recording
    pub(crate) file: PathBuf,
    /// Wait between events as long as the run did, or not at all
    #[arg(long, value_enum, default_value_t)]
    pub(crate) speed: ReplaySpeed,
    /// Stop after this event, by its number or the first of its type, and show the run as it was then
    #[arg(long, value_name = "EVENT")]
    pub(crate) until: Option<String>,
    /// Use this workflow for pipelines instead of the recorded one
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// Run the steps that changed for real, and replace the file
    #[arg(long, conflicts_with_all = ["until", "speed", "format"])]
    pub(crate) update: bool,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PrintFormat,
}

/// How fast a recording is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ReplaySpeed {
    /// As fast as it was recorded.
    Real,
    /// Without waiting.
    #[default]
    Max,
}

/// Replays a recording and shows it.
pub(crate) fn run(ctx: &Context, args: &ReplayArgs) -> Result<(), CommandError> {
    runtime::block_on(async {
        let stop = signals::listen()?;
        let replayed = replay(ctx, args, &stop).await;
        if let Err(CommandError::Report(report)) = &replayed
            && let Some(difference) = difference_of(&report.failure)
        {
            output::say(&text::neutral(difference));
        }
        replayed
    })
}

async fn replay(ctx: &Context, args: &ReplayArgs, stop: &StopSignals) -> Result<(), CommandError> {
    let options = ReplayOptions {
        in_real_time: args.speed == ReplaySpeed::Real,
        workflow: load_workflow(args.workflow.as_deref())?,
    };
    if args.update {
        return update_recording::update(ctx, &args.file, options, stop).await;
    }
    let replayer = Replayer::open(&args.file, options).await?;
    let root = replayer.recording.root().cloned();
    let root = root.ok_or_else(|| CommandError::usage("the recording is empty", "record the run again"))?;
    let until = until(args, &root)?;
    replayer.replay_others(Some(&root.id)).await?;
    if root.kind == StreamKind::Conversation {
        conversations::show_stored(ctx, replayer.here.engine().store(), &root.id, args.format.into()).await?;
    } else {
        show_replay(ctx, args, &replayer, &root, until, stop).await?;
    }
    let (n_events, n_runs, ms) = replayer.counts();
    output::say(&match until {
        Some(seq) => format!("Replayed up to event {seq}: as recorded."),
        None => format!(
            "Replayed {} of {} in {}: as recorded.",
            numbers::count(n_events, "event"),
            numbers::count(n_runs, "run"),
            numbers::duration(ms)
        ),
    });
    Ok(())
}

async fn show_replay(
    ctx: &Context,
    args: &ReplayArgs,
    replayer: &Replayer,
    root: &RecordedStream,
    until: Option<u64>,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    let (recorded, mut watching) = replayer.start(root, until, stop).await?;
    let flow = flow_row(&root.flow());
    // A board and a moment in the middle are shown when they are there; any other run as it happens.
    let shown = if flow.story.has_board || until.is_some() {
        let mut ended = Ok(());
        while let Some(item) = watching.items.next().await {
            if let Err(failure) = item.map(|_: RunSighting| ()) {
                ended = Err(CommandError::from(failure));
            }
        }
        match ended {
            Ok(()) => show::show_stored(ctx, &replayer.here, &root.id, args.format).await,
            Err(stopped) => Err(stopped),
        }
    } else {
        let replayed = ResumedFlow {
            ctx,
            here: &replayer.here,
            watching,
            stop,
            format: args.format,
            out: None,
            yes: true,
            deciding: AnswerSource::Elsewhere,
        };
        (flow.watch)(replayed).await
    };
    if let Some(difference) = recorded.difference() {
        return Err(differs(root, difference).into());
    }
    if stop.suspend.is_cancelled() {
        output::say("The replay was stopped.");
        return Err(CommandError::AlreadyReported(STOPPED));
    }
    let recorded_end = root.events.last().map(|last| last.update.event_type.as_str());
    match shown {
        // The recorded run failed, and so does its replay: that is what was asked for.
        Err(CommandError::Report(report)) if recorded_end != Some("final_result") => {
            output::say(&report.text(&ctx.screen));
            Ok(())
        }
        shown => shown,
    }
}

/// The number of the event that ends the replay.
fn until(args: &ReplayArgs, root: &RecordedStream) -> Result<Option<u64>, CommandError> {
    let Some(named) = &args.until else {
        return Ok(None);
    };
    if root.kind == StreamKind::Conversation {
        return Err(CommandError::usage(
            "--until needs the recording of a run; this is one of a conversation",
            "leave --until out",
        ));
    }
    let by_number = named.parse::<u64>().ok();
    let found = root.events.iter().find(|event| match by_number {
        Some(seq) => event.seq == seq,
        None => event.update.event_type == *named,
    });
    match found {
        Some(event) => Ok(Some(event.seq)),
        None => Err(CommandError::usage(
            format!("the recording has no event {named}"),
            format!(
                "give a number from 1 to {}, or an event type such as step_failed",
                root.events.len()
            ),
        )),
    }
}
