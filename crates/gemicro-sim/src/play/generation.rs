//! One answer on its way out.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clock::pause;
use super::gates::ReplyGates;
use crate::answer::Pace;

/// One event or chunk of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GenerationFrame {
    pub(crate) json: Value,
    /// Whether it carries a piece of the answer: what delays, gates and cuts count.
    pub(crate) is_chunk: bool,
    /// Steps of the answer that are complete once it is out.
    pub(crate) n_steps: usize,
}

/// An answer, complete from the start, and how much of it is out.
#[derive(Debug)]
pub(crate) struct Generation {
    pub(crate) frames: Vec<GenerationFrame>,
    /// The frame that readers get last when the generation is cancelled.
    pub(crate) on_cancel: Option<Value>,
    progress: watch::Sender<GenerationProgress>,
    cancel: CancellationToken,
}

/// How far a generation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GenerationProgress {
    pub(crate) n_released: usize,
    pub(crate) end: Option<GenerationEnd>,
}

/// Why nothing more will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenerationEnd {
    Finished,
    Cancelled,
}

impl Generation {
    pub(crate) fn new(frames: Vec<GenerationFrame>, on_cancel: Option<Value>) -> Self {
        Self {
            frames,
            on_cancel,
            progress: watch::Sender::new(GenerationProgress::default()),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn progress(&self) -> GenerationProgress {
        *self.progress.borrow()
    }

    /// Waits until more than `n_seen` frames are out or nothing more will come.
    pub(crate) async fn beyond(&self, n_seen: usize) -> GenerationProgress {
        let mut changes = self.progress.subscribe();
        let found = changes
            .wait_for(|progress| progress.n_released > n_seen || progress.end.is_some())
            .await;
        // The sender lives as long as `self`.
        found.map_or_else(|_| self.progress(), |progress| *progress)
    }

    /// Waits until nothing more will come.
    pub(crate) async fn wait_for_end(&self) {
        let mut changes = self.progress.subscribe();
        let _ = changes.wait_for(|progress| progress.end.is_some()).await;
    }

    /// Stops it, unless it has ended; tells whether it was stopped.
    pub(crate) fn cancel(&self) -> bool {
        let stopped = self.end(GenerationEnd::Cancelled);
        self.cancel.cancel();
        stopped
    }

    fn end(&self, end: GenerationEnd) -> bool {
        self.progress.send_if_modified(|progress| {
            let open = progress.end.is_none();
            if open {
                progress.end = Some(end);
            }
            open
        })
    }
}

/// Lets out the frames of one generation.
pub(crate) struct Player {
    pub(crate) generation: Arc<Generation>,
    pub(crate) pace: Pace,
    pub(crate) gates: Arc<ReplyGates>,
    /// Pieces after which it goes silent for ever.
    pub(crate) silent_after: Option<usize>,
    pub(crate) shutdown: CancellationToken,
}

impl Player {
    /// Plays to the end, to the cancellation, or to the shutdown.
    pub(crate) async fn play(self) {
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = self.generation.cancel.cancelled() => {}
            () = self.release_all() => {
                self.generation.end(GenerationEnd::Finished);
            }
        }
    }

    async fn release_all(&self) {
        if let Some(gate) = &self.pace.gate
            && gate.after_chunks.is_none()
        {
            self.gates.pass(&gate.name).await;
        }
        pause(self.pace.first).await;
        let mut n_chunks = 0;
        for (frame_idx, frame) in self.generation.frames.iter().enumerate() {
            if frame.is_chunk {
                self.before_chunk(n_chunks).await;
                n_chunks += 1;
            }
            self.generation
                .progress
                .send_modify(|progress| progress.n_released = frame_idx + 1);
        }
    }

    async fn before_chunk(&self, n_chunks: usize) {
        if self.silent_after == Some(n_chunks) {
            std::future::pending::<()>().await;
        }
        if let Some(gate) = &self.pace.gate
            && gate.after_chunks == Some(n_chunks)
        {
            self.gates.pass(&gate.name).await;
        }
        if n_chunks > 0 {
            pause(self.pace.between).await;
        }
    }
}
