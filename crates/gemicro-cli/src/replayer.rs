//! Replays of recordings, each in a temporary store of its own: [`Replayer`].

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gemicro_chat::{PromptDifference, compare_prompts};
use gemicro_core::drive::{DriveEnd, RecordedRun, ReplayDifference, StopSignals};
use gemicro_core::flow::{Flow, read_plan};
use gemicro_core::history::HistoryConfig;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::StreamKind;
use gemicro_engine::{Engine, LocalRunService, RunSightings};
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, StreamId};
use gemicro_pipeline::flow::PipelineFlow;
use gemicro_pipeline::plan::PipelinePlan;
use gemicro_pipeline::workflow::Workflow;
use gemicro_recording::{
    RecordedStream, Recording, describe_difference, describe_text_difference, read_file, recorded_executors,
    restore,
};
use serde_json::json;
use tempfile::TempDir;

use crate::command_error::CommandError;
use crate::config::ChatSettings;
use crate::workflow_file;

/// How recordings are replayed.
#[derive(Clone, Default)]
pub(crate) struct ReplayOptions {
    /// Wait between events as long as the run did.
    pub(crate) in_real_time: bool,
    /// Decide pipelines by this workflow in place of the recorded one.
    pub(crate) workflow: Option<Workflow>,
}

/// A recording that is being replayed.
pub(crate) struct Replayer {
    pub(crate) recording: Recording,
    pub(crate) here: LocalRunService,
    options: ReplayOptions,
    started: Instant,
    /// Holds the store; it goes with this.
    _home: TempDir,
}

impl Replayer {
    /// Reads a recording and makes the store that it is replayed in.
    ///
    /// # Errors
    /// When the file is no recording, or there is no room for a temporary store.
    pub(crate) async fn open(file: &Path, options: ReplayOptions) -> Result<Self, Failure> {
        let started = Instant::now();
        let recording = read_file(file)?;
        let home = temporary_home()?;
        let executors = recorded_executors(&recording, options.in_real_time);
        let engine = Engine::for_replay(home.path(), executors).await?;
        restore(&recording, engine.store()).await?;
        Ok(Self {
            recording,
            here: LocalRunService::new(engine),
            options,
            started,
            _home: home,
        })
    }

    /// Replays all runs but this one, without showing them.
    ///
    /// # Errors
    /// When one differs from its recording, or cannot be replayed.
    pub(crate) async fn replay_others(&self, shown: Option<&StreamId>) -> Result<(), Failure> {
        self.compare_conversations()?;
        for run in self.recording.runs().filter(|run| Some(&run.id) != shown) {
            let recorded = self.recorded_run(run, None, false)?;
            let driven = self
                .here
                .engine()
                .replay(recorded.clone(), StopSignals::default())
                .await?;
            let ended = driven.wait().await;
            if let Some(difference) = recorded.difference() {
                return Err(differs(run, difference));
            }
            match ended? {
                DriveEnd::Terminal(last) if last.seq == run.events.len() as u64 => {}
                DriveEnd::Terminal(_) | DriveEnd::Suspended => {
                    let message = format!("the replay of run {} ended before its recording", run.id);
                    return Err(Failure::new(ErrorKind::Internal, message));
                }
            }
        }
        Ok(())
    }

    /// Makes the prompts of conversations again.
    fn compare_conversations(&self) -> Result<(), Failure> {
        let usual = HistoryConfig::default().max_prompt_tokens;
        let limit = self.recording.header.max_prompt_tokens.unwrap_or(usual);
        let config = ChatSettings::history(limit);
        let plan_of = |run: &StreamId| {
            let run = self.recording.runs().find(|recorded| recorded.id == *run)?;
            Some(run.events.first()?.update.as_run_started()?.plan)
        };
        let streams = self.recording.streams.iter();
        for stream in streams.filter(|stream| stream.kind == StreamKind::Conversation) {
            let compared = compare_prompts(&stream.events, &config, plan_of);
            let compared =
                compared.map_err(|error| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
            if let Some(difference) = compared {
                return Err(prompt_differs(stream, &difference));
            }
        }
        Ok(())
    }

    /// Starts the replay of one run, to be watched.
    ///
    /// # Errors
    /// When it cannot be replayed.
    pub(crate) async fn start(
        &self,
        run: &RecordedStream,
        until: Option<u64>,
        stop: &StopSignals,
    ) -> Result<(Arc<RecordedRun>, RunSightings), Failure> {
        let recorded = self.recorded_run(run, until, self.options.in_real_time)?;
        let watching = self.here.replay(recorded.clone(), stop.clone()).await?;
        Ok((recorded, watching))
    }

    fn recorded_run(
        &self,
        run: &RecordedStream,
        until: Option<u64>,
        in_real_time: bool,
    ) -> Result<Arc<RecordedRun>, Failure> {
        let mut events = run.events.clone();
        if let (Some(workflow), Some(first)) = (&self.options.workflow, events.first_mut()) {
            decide_by(workflow, first)?;
        }
        let recorded = RecordedRun::new(events).ok_or_else(|| {
            let message = format!("the recording of run {} is not complete", run.id);
            Failure::new(ErrorKind::InvalidInput, message)
        })?;
        Ok(Arc::new(recorded.until(until).in_real_time(in_real_time)))
    }

    /// Events and runs of the recording, and the time since it was opened, in milliseconds.
    pub(crate) fn counts(&self) -> (usize, usize, u64) {
        let n_events = self.recording.runs().map(|run| run.events.len()).sum();
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        (n_events, self.recording.runs().count(), ms)
    }
}

/// The folder of a replay's store.
///
/// # Errors
/// When there is no room for it.
pub(crate) fn temporary_home() -> Result<TempDir, Failure> {
    let home = tempfile::Builder::new().prefix("gemicro-replay").tempdir();
    home.map_err(|error| {
        let message = format!("a temporary folder for the replay cannot be made: {error}");
        Failure::new(ErrorKind::StorageError, message)
    })
}

/// The workflow that was named, if one was.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn load_workflow(named: Option<&Path>) -> Result<Option<Workflow>, CommandError> {
    let Some(named) = named else { return Ok(None) };
    let file = std::path::absolute(named)?;
    let folder = file.parent().unwrap_or(&file);
    Ok(Some(workflow_file::load(Some(&file), folder)?))
}

/// Puts another workflow into the plan of a pipeline. Checks that it does not name stay those that the project's files
/// stood for.
///
/// # Errors
/// When the recorded plan cannot be read.
pub(crate) fn decide_by(workflow: &Workflow, first: &mut Event) -> Result<(), Failure> {
    let Some(mut started) = first.update.as_run_started() else {
        return Ok(());
    };
    if started.flow != PipelineFlow.name() {
        return Ok(());
    }
    let mut plan: PipelinePlan = read_plan(&started.plan)?;
    let checks = match workflow.checks.is_empty() {
        true => plan.workflow.checks,
        false => workflow.checks.clone(),
    };
    plan.workflow = Workflow {
        checks,
        ..workflow.clone()
    };
    started.plan = Json::of(&plan).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    first.update = AgentUpdate::new(&started, first.update.timestamp);
    Ok(())
}

/// Replays a whole recording without showing it; returns its events, runs and milliseconds.
///
/// # Errors
/// When it differs, or cannot be replayed.
pub(crate) async fn replay_quietly(
    file: &Path,
    options: ReplayOptions,
) -> Result<(usize, usize, u64), Failure> {
    let replayer = Replayer::open(file, options).await?;
    let replayed = replayer.replay_others(None).await;
    replayer.here.engine().close().await;
    replayed.map(|()| replayer.counts())
}

/// The failure of a run that differs, with the difference below it.
pub(crate) fn differs(run: &RecordedStream, difference: &ReplayDifference) -> Failure {
    let message = format!(
        "the replay of {} run {} differs from its recording at event {}",
        run.flow(),
        run.id,
        difference.seq()
    );
    differing_failure(message, &describe_difference(difference))
}

fn prompt_differs(conversation: &RecordedStream, difference: &PromptDifference) -> Failure {
    let message = format!(
        "the replay of conversation {} differs from its recording at event {}",
        conversation.id, difference.seq
    );
    let title = format!("event {}: the prompt of turn {}", difference.seq, difference.turn);
    let text = describe_text_difference(&title, &difference.recorded, &difference.replayed);
    differing_failure(message, &text)
}

fn differing_failure(message: String, difference: &str) -> Failure {
    Failure {
        detail: Some(Json::from(json!({ "difference": difference }))),
        ..Failure::new(ErrorKind::ReplayDiffers, message)
    }
}

/// The difference that a failure is about, for people.
pub(crate) fn difference_of(failure: &Failure) -> Option<&str> {
    failure.detail.as_ref()?.get("difference")?.as_str()
}
