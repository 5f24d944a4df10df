//! `gemicro replay --update`: a recording made again where it changed.

use std::path::Path;

use futures_util::StreamExt;
use gemicro_core::drive::StopSignals;
use gemicro_core::store::StreamKind;
use gemicro_engine::{Engine, LocalRunService};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Event, Failure};
use gemicro_recording::{
    RecordedStream, Recording, RecordingUpdate, collect, read_file, restore, write_file,
};

use crate::command_error::{CommandError, STOPPED};
use crate::config::{ResearchFlags, ResearchSettings};
use crate::output;
use crate::recorder::LiveCollector;
use crate::replayer::{ReplayOptions, decide_by, replay_quietly, temporary_home};
use crate::screen::numbers;
use crate::session::{Context, PROGRAM};

/// Replays a recording; where it differs, the changed steps run for real, and the file is replaced by one that this
/// program replays.
pub(crate) async fn update(
    ctx: &Context,
    file: &Path,
    options: ReplayOptions,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    output::check_target(file)?;
    match replay_quietly(file, options.clone()).await {
        Ok(_) => {
            output::say(&format!("{} is as recorded: nothing to update.", file.display()));
            return Ok(());
        }
        Err(failure) if failure.kind == ErrorKind::ReplayDiffers => {}
        Err(failure) => return Err(failure.into()),
    }
    let recording = read_file(file).map_err(Failure::from)?;
    let root = updatable_root(&recording)?;
    let home = temporary_home()?;
    let update = RecordingUpdate::new(&recording, stop.clone());
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    let config = ctx.engine_config(&layers, &settings)?;
    let engine = Engine::for_update(home.path(), config, |real| update.in_front_of(&real)).await?;
    restore(&recording, engine.store()).await?;
    let here = LocalRunService::new(engine);
    let updated = run_again(ctx, &here, root, &options, stop).await;
    if let Some(refusal) = update.refusal() {
        let unchanged = format!("{}; {} is unchanged", refusal.message, file.display());
        return Err(Failure::new(refusal.kind, unchanged).into());
    }
    if stop.suspend.is_cancelled() {
        output::say(&format!("Stopped: {} is unchanged.", file.display()));
        return Err(CommandError::AlreadyReported(STOPPED));
    }
    let updated = updated?;
    here.engine().close().await;
    // A copy is replayed first, so that the old file stays until the new one is known to be good.
    let copy = home.path().join("updated.recording");
    write_file(&updated, &copy).map_err(Failure::from)?;
    let (n_events, n_runs, _) = replay_quietly(&copy, ReplayOptions::default()).await?;
    write_file(&updated, file).map_err(Failure::from)?;
    output::say(&format!(
        "Updated {}: {} ran again; now {} of {}.",
        file.display(),
        numbers::count(update.n_real(), "step"),
        numbers::count(n_events, "event"),
        numbers::count(n_runs, "run")
    ));
    Ok(())
}

/// The recorded run, if it can run again without the people who took part.
fn updatable_root(recording: &Recording) -> Result<&RecordedStream, CommandError> {
    let refuse = |why: &str| CommandError::usage(why, "record it again with --record");
    let root = recording.root().ok_or_else(|| refuse("the recording is empty"))?;
    if root.kind == StreamKind::Conversation {
        return Err(refuse(
            "--update needs the recording of a run; this is one of a conversation",
        ));
    }
    let mut events = recording.runs().flat_map(|run| &run.events);
    let asked = |event: &Event| event.update.event_type == "answer_requested";
    match events.any(asked) {
        true => Err(refuse(
            "--update cannot answer the questions that this run asked a person",
        )),
        false => Ok(root),
    }
}

/// Runs the recorded run to its end, and collects it.
async fn run_again(
    ctx: &Context,
    here: &LocalRunService,
    root: &RecordedStream,
    options: &ReplayOptions,
    stop: &StopSignals,
) -> Result<Recording, CommandError> {
    let first = root.events.first().cloned();
    let mut first = first.ok_or_else(|| CommandError::usage("the recording is empty", "record it again"))?;
    if let Some(workflow) = &options.workflow {
        decide_by(workflow, &mut first)?;
    }
    let texts = LiveCollector::default();
    let mut watching = texts.tap(here.run_again(&first, stop.clone()).await?);
    while let Some(item) = watching.items.next().await {
        item?;
    }
    let store = here.engine().store();
    let live = texts.take(store).await?;
    Ok(collect(store, &root.id, PROGRAM, &Redactor::new(ctx.secrets()?), live).await?)
}
