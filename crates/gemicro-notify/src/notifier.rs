//! Collects deliveries from the journals and carries them out: [`Notifier`].

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use gemicro_core::store::StoreError;
use gemicro_event::Timestamp;
use gemicro_store::{DurableStore, RunProgress};
use tokio::sync::{OnceCell, Semaphore};

use crate::notice::{NOTABLE, NoticeKind, RunNotice};
use crate::queue::{Delivery, DeliveryQueue};
use crate::queue_file::QueueFile;
use crate::settings::{DeliveryTarget, NotifySettings};
use crate::{spawn, webhook};

/// Interval between two looks at the journals.
const LOOK: Duration = Duration::from_secs(1);

/// Maximum number of concurrent attempts.
const MAX_ATTEMPTS: u32 = 8;

/// The deliveries of a state folder, for one process.
#[derive(Debug)]
pub struct Notifier {
    store: Arc<DurableStore>,
    file: QueueFile,
    settings: NotifySettings,
    started: OnceCell<()>,
    /// One permit per attempt.
    attempts: Arc<Semaphore>,
    /// Number of deliveries that were not done at the last look.
    n_pending: AtomicUsize,
}

/// What became of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetOutcome {
    /// Name of the destination.
    pub target: String,
    /// Why it failed; `None` if it arrived.
    pub error: Option<String>,
}

/// Why the deliveries could not be read or written. It is only logged: a run never fails because of it.
#[derive(Debug, thiserror::Error)]
enum CollectError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the queue of notifications: {0}")]
    File(#[from] io::Error),
}

impl Notifier {
    /// For the runs of a store; the queue is in the state folder.
    #[must_use]
    pub fn new(store: Arc<DurableStore>, home: &Path, settings: NotifySettings) -> Self {
        Self {
            store,
            file: QueueFile::of(home),
            settings,
            started: OnceCell::new(),
            attempts: Arc::new(Semaphore::new(MAX_ATTEMPTS as usize)),
            n_pending: AtomicUsize::new(0),
        }
    }

    /// Sends a test notice to every destination, at once and without the queue.
    pub async fn test(settings: &NotifySettings) -> Vec<TargetOutcome> {
        let notice = RunNotice::test(Timestamp::now());
        let sending = settings.targets().map(async |target| TargetOutcome {
            target: target.name(),
            error: send(settings, target, &notice).await.err(),
        });
        futures_util::future::join_all(sending).await
    }

    /// Delivers in the background until the notifier is dropped. The first call also makes sure that no event after it
    /// is considered old.
    pub async fn start(self: &Arc<Self>) {
        self.started
            .get_or_init(async || {
                self.collect_or_log().await;
                tokio::spawn(look_regularly(Arc::downgrade(self)));
            })
            .await;
    }

    /// Delivers what is due, for at most `limit`; returns the number of deliveries that are left. Does nothing in a
    /// process that did not [`start`](Self::start) it.
    pub async fn flush(self: &Arc<Self>, limit: Duration) -> usize {
        if !self.started.initialized() {
            return 0;
        }
        let flushing = async {
            self.look().await;
            // All permits are back when every attempt has ended.
            let _ = self.attempts.acquire_many(MAX_ATTEMPTS).await;
        };
        let _ = tokio::time::timeout(limit, flushing).await;
        self.file.read().map_or(0, |state| state.deliveries().len())
    }

    /// Whether there are deliveries left, as of the last look.
    #[must_use]
    pub fn has_pending(&self) -> bool {
        self.n_pending.load(Ordering::Relaxed) > 0
    }

    async fn look(self: &Arc<Self>) {
        self.collect_or_log().await;
        if let Err(error) = self.deliver_due().await {
            tracing::warn!(%error, "notifications cannot be delivered now");
        }
    }

    async fn collect_or_log(&self) {
        if let Err(error) = self.collect().await {
            tracing::warn!(%error, "notifications cannot be collected now");
        }
    }

    /// Adds the deliveries of all events behind the cursors.
    async fn collect(&self) -> Result<(), CollectError> {
        let lock = self.file.lock().await?;
        let before = lock.load()?;
        let state = match &before {
            Some(before) => self.collect_after(before.clone()).await?,
            None => DeliveryQueue::at_start(&self.store.run_progress(0, &[]).await?),
        };
        self.n_pending.store(state.deliveries().len(), Ordering::Relaxed);
        if before.as_ref() != Some(&state) {
            lock.save(&state)?;
        }
        Ok(())
    }

    async fn collect_after(&self, mut state: DeliveryQueue) -> Result<DeliveryQueue, CollectError> {
        let runs = self
            .store
            .run_progress(state.after_no(), &state.open_runs())
            .await?;
        state.forget_erased(&runs);
        for progress in &runs {
            let cursor = state.cursor(&progress.run);
            if progress.last_seq <= cursor {
                continue;
            }
            let found = self.add_deliveries(&mut state, progress, cursor).await?;
            // An open run without news keeps its cursor, so that the file is not written for every event.
            let seq = if found || progress.ended {
                progress.last_seq
            } else {
                cursor
            };
            state.advance(progress, seq);
        }
        state.forget_ended();
        Ok(state)
    }

    /// Adds the deliveries of one run; whether there were any events to look at.
    async fn add_deliveries(
        &self,
        state: &mut DeliveryQueue,
        progress: &RunProgress,
        after: u64,
    ) -> Result<bool, StoreError> {
        let events = match self.store.read_types(&progress.run, after, &NOTABLE).await {
            Ok(events) => events,
            // Other runs are not affected.
            Err(error @ (StoreError::Damaged { .. } | StoreError::MissingBlob { .. })) => {
                tracing::warn!(run = %progress.run, %error, "no notifications about a damaged run");
                return Ok(true);
            }
            Err(StoreError::Erased { .. } | StoreError::NotFound { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let now = Timestamp::now();
        // Events after `last_seq` were written since; they are found by the next look.
        let events = events.iter().filter(|event| event.seq <= progress.last_seq);
        let mut found = false;
        for event in events {
            found = true;
            if NoticeKind::of(&event.update.event_type, progress.is_part).is_some() {
                for target in self.settings.targets() {
                    state.add(&progress.run, event.seq, target.key(), now);
                }
            }
        }
        Ok(found)
    }

    /// Starts an attempt for every delivery that is due, as far as the limit of concurrent attempts allows.
    async fn deliver_due(self: &Arc<Self>) -> io::Result<()> {
        let n_free = self.attempts.available_permits();
        if n_free == 0 || !self.has_pending() {
            return Ok(());
        }
        let lock = self.file.lock().await?;
        let mut state = lock.load()?.unwrap_or_default();
        let due = state.claim_due(Timestamp::now(), n_free);
        if due.is_empty() {
            return Ok(());
        }
        lock.save(&state)?;
        drop(lock);
        for delivery in due {
            let Ok(permit) = Arc::clone(&self.attempts).acquire_owned().await else {
                return Ok(());
            };
            let notifier = Arc::clone(self);
            tokio::spawn(async move {
                if let Err(error) = notifier.attempt(&delivery).await {
                    // The claim expires, and the delivery is attempted again.
                    tracing::warn!(%error, "the result of a notification cannot be recorded");
                }
                drop(permit);
            });
        }
        Ok(())
    }

    async fn attempt(&self, delivery: &Delivery) -> io::Result<()> {
        let target = self.settings.target(&delivery.target);
        let name = target.map_or_else(|| delivery.target.clone(), |target| target.name());
        let sent = match (self.notice(delivery).await, target) {
            // The run was erased.
            (Ok(None), _) => Ok(()),
            (Ok(Some(notice)), Some(target)) => send(&self.settings, target, &notice).await,
            (Ok(Some(_)), None) => Err("this destination is no longer in the settings".to_owned()),
            (Err(error), _) => Err(error.to_string()),
        };
        let lock = self.file.lock().await?;
        let mut state = lock.load()?.unwrap_or_default();
        match sent {
            Ok(()) => state.remove(delivery),
            Err(error) => {
                tracing::info!(run = %delivery.run, seq = delivery.seq, target = name, error, "a notification failed");
                state.record_failure(delivery, &name, &error, Timestamp::now());
            }
        }
        self.n_pending.store(state.deliveries().len(), Ordering::Relaxed);
        lock.save(&state)
    }

    /// The notice of a delivery; `None` if its run was erased.
    async fn notice(&self, delivery: &Delivery) -> Result<Option<RunNotice>, StoreError> {
        let events = self.store.read_types(&delivery.run, delivery.seq - 1, &NOTABLE);
        let events = match events.await {
            Err(StoreError::Erased { .. } | StoreError::NotFound { .. }) => return Ok(None),
            events => events?,
        };
        let row = self.store.run(&delivery.run).await?;
        let event = events.iter().find(|event| event.seq == delivery.seq);
        Ok(event.and_then(|event| RunNotice::of(&row, event)))
    }
}

async fn look_regularly(notifier: Weak<Notifier>) {
    loop {
        tokio::time::sleep(LOOK).await;
        match notifier.upgrade() {
            Some(notifier) => notifier.look().await,
            None => return,
        }
    }
}

async fn send(
    settings: &NotifySettings,
    target: DeliveryTarget<'_>,
    notice: &RunNotice,
) -> Result<(), String> {
    match target {
        DeliveryTarget::Command(command) => {
            spawn::run_command(command, &settings.command_environment, notice).await
        }
        DeliveryTarget::Webhook(webhook) => webhook::send(webhook, notice, Timestamp::now()).await,
    }
}
