//! Wakes the subscribers of a stream in this process, and passes them the committed events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemicro_event::{Event, StreamId};
use tokio::sync::watch;

/// The events of the last commit of a stream, if they are known and small.
pub(crate) type FreshEvents = Option<Arc<[Event]>>;

/// The listeners of each stream.
#[derive(Debug, Default)]
pub(crate) struct Wakes {
    streams: Mutex<HashMap<StreamId, watch::Sender<FreshEvents>>>,
}

/// One listener; dropping it stops listening.
#[derive(Debug)]
pub(crate) struct WakeListener {
    wakes: Arc<Wakes>,
    stream: StreamId,
    changes: watch::Receiver<FreshEvents>,
}

impl Wakes {
    pub(crate) fn listen(self: &Arc<Self>, stream: &StreamId) -> WakeListener {
        let mut streams = self.streams();
        let sender = streams
            .entry(stream.clone())
            .or_insert_with(|| watch::channel(None).0);
        WakeListener {
            wakes: Arc::clone(self),
            stream: stream.clone(),
            changes: sender.subscribe(),
        }
    }

    pub(crate) fn wake(&self, stream: &StreamId, fresh: impl FnOnce() -> FreshEvents) {
        if let Some(sender) = self.streams().get(stream) {
            sender.send_replace(fresh());
        }
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<StreamId, watch::Sender<FreshEvents>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WakeListener {
    /// Ignores the changes so far.
    pub(crate) fn reset(&mut self) {
        self.changes.mark_unchanged();
    }

    /// Waits for the next change. If there were several, only the last one is returned.
    pub(crate) async fn next_change(&mut self) -> FreshEvents {
        // The sender lives as long as any listener is registered, so this cannot fail.
        self.changes.changed().await.ok();
        self.changes.borrow_and_update().clone()
    }
}

impl Drop for WakeListener {
    fn drop(&mut self) {
        let mut streams = self.wakes.streams();
        // This listener is still counted.
        if streams
            .get(&self.stream)
            .is_some_and(|sender| sender.receiver_count() <= 1)
        {
            streams.remove(&self.stream);
        }
    }
}
