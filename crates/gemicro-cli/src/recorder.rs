//! Writing recordings: of a run that has ended, and of one that is being watched.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use gemicro_chat::News;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{RunSighting, RunSightings};
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, StepKey, StreamId, Timestamp};
use gemicro_recording::{LiveDelta, collect, write_file};
use gemicro_store::DurableStore;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::command_error::CommandError;
use crate::output;
use crate::screen::numbers;
use crate::session::{Context, PROGRAM};

/// Keeps what a watched run streams, and writes its recording when it has ended.
#[derive(Clone)]
pub(crate) struct RunRecorder {
    file: PathBuf,
    live: LiveCollector,
    /// The limit of a chat's prompts, in tokens.
    max_prompt_tokens: Option<u64>,
}

/// What is recorded beside the journals.
#[derive(Default)]
pub(crate) struct RecordingExtras {
    pub(crate) live: Vec<LiveDelta>,
    /// The limit of a conversation's prompts, in tokens.
    pub(crate) max_prompt_tokens: Option<u64>,
}

/// Keeps the text of running steps.
#[derive(Clone, Default)]
pub(crate) struct LiveCollector {
    texts: Arc<Mutex<Vec<StreamedText>>>,
}

/// A piece of text of a run; which attempt wrote it is known, or follows from its time.
struct StreamedText {
    run: StreamId,
    attempt: Option<(StepKey, u32)>,
    at: Timestamp,
    text: String,
}

impl RunRecorder {
    /// Records into a file, if one is given.
    ///
    /// # Errors
    /// When the file cannot be written there.
    pub(crate) fn new(file: Option<&Path>) -> Result<Option<Self>, CommandError> {
        let Some(file) = file else { return Ok(None) };
        output::check_target(file)?;
        Ok(Some(Self {
            file: file.to_owned(),
            live: LiveCollector::default(),
            max_prompt_tokens: None,
        }))
    }

    /// Records the limit of a chat's prompts, too.
    pub(crate) fn with_prompts_up_to(self, tokens: u64) -> Self {
        Self {
            max_prompt_tokens: Some(tokens),
            ..self
        }
    }

    /// Passes on the news of a chat and keeps their text; the conversation that was open last is known when its news
    /// have ended.
    pub(crate) fn tap_chat(
        &self,
        mut news: mpsc::Receiver<News>,
    ) -> (mpsc::Receiver<News>, Option<OpenedConversation>) {
        let live = self.live.clone();
        let (sender, passed_on) = mpsc::channel(1);
        let following = tokio::spawn(async move {
            let (mut opened, mut run) = (None, None);
            while let Some(item) = news.recv().await {
                match (&item, &run) {
                    (News::Opened(chapter), _) => opened = Some(chapter.id.clone()),
                    (News::Asked { run: asked, .. }, _) => run = Some(asked.clone()),
                    (News::Text(text), Some(run)) => live.push(run, None, text),
                    _ => {}
                }
                if sender.send(item).await.is_err() {
                    break;
                }
            }
            opened
        });
        (passed_on, Some(OpenedConversation(following)))
    }

    /// Writes the recording of a run or conversation that has ended. One that was stopped has none yet.
    ///
    /// # Errors
    /// When it has not ended, the store cannot be read, or the file cannot be written.
    pub(crate) async fn write(&self, ctx: &Context, id: &StreamId) -> Result<(), CommandError> {
        let store = ctx.store().await?;
        let extras = RecordingExtras {
            live: self.live.take(&store).await?,
            max_prompt_tokens: self.max_prompt_tokens,
        };
        write_recording(ctx, &store, id, &self.file, extras).await
    }
}

impl LiveCollector {
    /// Passes everything on, and keeps the text of running steps with its time.
    pub(crate) fn tap(&self, watching: RunSightings) -> RunSightings {
        let (live, run) = (self.clone(), watching.run.clone());
        let items = watching.items.inspect(move |item| {
            if let Ok(RunSighting::Live(item)) = item {
                live.push(&run, Some((item.step.clone(), item.attempt)), &item.text);
            }
        });
        RunSightings {
            run: watching.run,
            items: Box::pin(items),
        }
    }

    /// The text so far, with the attempts that wrote it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn take(&self, store: &DurableStore) -> Result<Vec<LiveDelta>, CommandError> {
        let texts = std::mem::take(&mut *self.texts.lock().unwrap_or_else(PoisonError::into_inner));
        let mut live = Vec::with_capacity(texts.len());
        for text in texts {
            live.extend(text.with_attempt(store).await?);
        }
        Ok(live)
    }

    fn push(&self, run: &StreamId, attempt: Option<(StepKey, u32)>, text: &str) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.push(StreamedText {
            run: run.clone(),
            attempt,
            at: Timestamp::now(),
            text: text.to_owned(),
        });
    }
}

/// The conversation that a chat had open last.
pub(crate) struct OpenedConversation(JoinHandle<Option<StreamId>>);

impl OpenedConversation {
    /// Waits for the end of the chat's news.
    ///
    /// # Errors
    /// When none was opened.
    pub(crate) async fn wait(self) -> Result<StreamId, CommandError> {
        let opened = self.0.await.ok().flatten();
        opened.ok_or_else(|| CommandError::usage("no conversation was opened", "nothing was recorded"))
    }
}

impl StreamedText {
    /// With the attempt that was running then.
    async fn with_attempt(self, store: &DurableStore) -> Result<Option<LiveDelta>, CommandError> {
        let attempt = match self.attempt {
            Some(attempt) => Some(attempt),
            None => {
                let events = store.read(&self.run, 0, usize::MAX).await?.events;
                let before = events.iter().filter(|event| event.update.timestamp <= self.at);
                let mut started = before.filter_map(|event| event.update.as_step_started());
                started.next_back().map(|started| (started.step, started.attempt))
            }
        };
        Ok(attempt.map(|(step, attempt)| LiveDelta {
            run: self.run,
            step,
            attempt,
            at: self.at,
            text: self.text,
        }))
    }
}

/// Taps a run if it is to be recorded.
pub(crate) fn tap_if_recorded(recorder: Option<&RunRecorder>, watching: RunSightings) -> RunSightings {
    match recorder {
        Some(recorder) => recorder.live.tap(watching),
        None => watching,
    }
}

/// Writes the recording of a run that was watched to its end, and returns how that ended.
///
/// # Errors
/// The error of the run, or else that of the recording.
pub(crate) async fn write_recorded(
    ctx: &Context,
    recorder: Option<&RunRecorder>,
    id: &StreamId,
    outcome: Result<(), CommandError>,
) -> Result<(), CommandError> {
    let Some(recorder) = recorder else {
        return outcome;
    };
    match (recorder.write(ctx, id).await, outcome) {
        (Ok(()), outcome) => outcome,
        (Err(not_written), Ok(())) => Err(not_written),
        (Err(not_written), Err(stopped)) => {
            if let CommandError::Report(report) = &not_written {
                output::say(&report.text(&ctx.screen));
            }
            Err(stopped)
        }
    }
}

/// Writes a run or conversation of a store to a file and says so.
///
/// # Errors
/// When it has not ended, the store cannot be read, or the file cannot be written.
pub(crate) async fn write_recording(
    ctx: &Context,
    store: &DurableStore,
    id: &StreamId,
    file: &Path,
    extras: RecordingExtras,
) -> Result<(), CommandError> {
    let redactor = Redactor::new(ctx.secrets()?);
    let mut recording = collect(store, id, PROGRAM, &redactor, extras.live).await?;
    recording.header.max_prompt_tokens = extras.max_prompt_tokens;
    write_file(&recording, file).map_err(Failure::from)?;
    let n_events: usize = recording.streams.iter().map(|stream| stream.events.len()).sum();
    let n_bytes = std::fs::metadata(file).map_or(0, |about| about.len());
    output::say(&format!(
        "Recorded {} of {} in {} ({}). Replay it with: gemicro replay {}",
        numbers::count(n_events, "event"),
        numbers::count(recording.streams.len(), "stream"),
        file.display(),
        numbers::bytes(n_bytes),
        file.display()
    ));
    Ok(())
}
