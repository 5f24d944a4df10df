//! An answer that is being sent.

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
    /// Whether it carries a chunk of the answer. Delays, gates and cuts count these.
    pub(crate) is_chunk: bool,
    /// Number of steps of the answer that are complete once it is sent.
    pub(crate) n_steps: usize,
}

/// A complete answer, and how much of it has been released.
#[derive(Debug)]
pub(crate) struct Generation {
    pub(crate) frames: Vec<GenerationFrame>,
    /// The last frame for readers if the generation is cancelled.
    pub(crate) on_cancel: Option<Value>,
    progress: watch::Sender<GenerationProgress>,
    cancel: CancellationToken,
}

/// The progress of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GenerationProgress {
    pub(crate) n_released: usize,
    pub(crate) end: Option<GenerationEnd>,
}

/// Why no more frames will come.
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

    /// Waits until more than `n_seen` frames are released or no more will come.
    pub(crate) async fn beyond(&self, n_seen: usize) -> GenerationProgress {
        let mut changes = self.progress.subscribe();
        let found = changes
            .wait_for(|progress| progress.n_released > n_seen || progress.end.is_some())
            .await;
        // The sender lives as long as `self`.
        found.map_or_else(|_| self.progress(), |progress| *progress)
    }

    /// Waits until no more frames will come.
    pub(crate) async fn wait_for_end(&self) {
        let mut changes = self.progress.subscribe();
        let _ = changes.wait_for(|progress| progress.end.is_some()).await;
    }

    /// Stops it, unless it has ended; returns whether it was stopped.
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

/// Releases the frames of one generation.
pub(crate) struct Player {
    pub(crate) generation: Arc<Generation>,
    pub(crate) pace: Pace,
    pub(crate) gates: Arc<ReplyGates>,
    /// Number of chunks after which it stays silent forever.
    pub(crate) silent_after: Option<usize>,
    pub(crate) shutdown: CancellationToken,
}

impl Player {
    /// Runs until the end, a cancellation, or the shutdown.
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
