//! The worker's side: takes steps out of the queue and does them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gemicro_core::execute::{Answers, Executors, Spoken, StepCall, StepReporter};
use gemicro_core::flow::{Again, Spent, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::queue::{Claim, ClaimedStep, Heartbeat, News, Settlement, StepLease, StepQueue};
use gemicro_core::store::NewEvent;
use gemicro_event::redact::Redactor;
use gemicro_event::{AgentUpdate, ErrorKind, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use tokio_util::sync::CancellationToken;

use super::reports::{Errand, StepReported, StepWord};

/// How long a worker may be silent.
const LEASE: Duration = Duration::from_secs(6);
/// How often the queue is looked at while there is room.
const LOOK: Duration = Duration::from_millis(100);

/// Does steps of these kinds until it is stopped.
pub(crate) struct StepWorker {
    /// The shared store.
    pub(crate) store: Arc<DurableStore>,
    /// Who really does them.
    pub(crate) executors: Executors,
    /// The kinds that are taken.
    pub(crate) kinds: Vec<String>,
    /// Its name, for people.
    pub(crate) name: String,
    /// Steps at the same time.
    pub(crate) max_steps: usize,
    /// Keeps secrets out of what is written.
    pub(crate) redactor: Redactor,
}

type Held = Arc<Mutex<HashMap<(StreamId, StepKey), (StepLease, CancellationToken)>>>;

impl StepWorker {
    /// Works until it is stopped; what it was doing then is left for others.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let (worker, held) = (Arc::new(self), Held::default());
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut heartbeat = tokio::time::interval(LEASE / 3);
        heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut tasks = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = look.tick() => {
                    let n_free = worker.max_steps.saturating_sub(lock(&held).len());
                    for claimed in worker.claim(n_free).await {
                        let key = (claimed.lease.stream.clone(), claimed.lease.step.clone());
                        let cancel = CancellationToken::new();
                        lock(&held).insert(key.clone(), (claimed.lease.clone(), cancel.clone()));
                        let (worker, held, stop) = (worker.clone(), held.clone(), stop.clone());
                        tasks.spawn(async move {
                            worker.work(claimed, cancel, stop).await;
                            lock(&held).remove(&key);
                        });
                    }
                }
                _ = heartbeat.tick() => worker.stay(&held).await,
                Some(_) = tasks.join_next() => {}
            }
        }
        for (_, cancel) in lock(&held).values() {
            cancel.cancel();
        }
        while tasks.join_next().await.is_some() {}
    }

    async fn claim(&self, n_free: usize) -> Vec<ClaimedStep> {
        // Also with no free place: looking into the queue is what notices a silent worker.
        let claim = Claim {
            worker: self.name.clone(),
            kinds: self.kinds.clone(),
            max_steps: n_free,
            ttl: LEASE,
        };
        self.store.claim(claim).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the queue cannot be looked at");
            Vec::new()
        })
    }

    /// Renews every lease; what is no longer ours, or no longer wanted, is stopped.
    async fn stay(&self, held: &Held) {
        let all: Vec<(StepLease, CancellationToken)> = lock(held).values().cloned().collect();
        if all.is_empty() {
            return;
        }
        let leases = all.iter().map(|(lease, _)| lease.clone()).collect();
        match self.store.heartbeat(leases, LEASE).await {
            Ok(answers) => {
                for ((_, cancel), answer) in all.iter().zip(answers) {
                    if !matches!(answer, Heartbeat::Alive { .. }) {
                        cancel.cancel();
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "leases cannot be renewed"),
        }
    }

    async fn work(&self, claimed: ClaimedStep, cancel: CancellationToken, stop: CancellationToken) {
        let lease = &claimed.lease;
        let ended = match claimed.data.parse::<Errand>() {
            Ok(errand) => self.attempt(lease, errand, cancel, stop).await,
            Err(error) => {
                let failure = Failure::new(ErrorKind::StorageError, error.to_string());
                Err(StepFailure::free(failure))
            }
        };
        let news = match &ended {
            Ok(_) => News::Completed,
            Err(told) if told.failure.kind == ErrorKind::Cancelled => News::Cancelled,
            Err(told) => News::Failed {
                reason: told.failure.clone(),
            },
        };
        self.say(lease, news, StepWord::ended(&ended)).await;
    }

    /// Runs one attempt with the real executor and passes on what it tells.
    async fn attempt(
        &self,
        lease: &StepLease,
        errand: Errand,
        cancel: CancellationToken,
        stop: CancellationToken,
    ) -> Result<StepOutput, StepFailure> {
        let Some(executor) = self.executors.get(&errand.step.kind) else {
            let message = format!("this worker does no steps of kind {}", errand.step.kind);
            return Err(StepFailure::free(Failure::new(ErrorKind::Internal, message)));
        };
        let (reporter, mut words) = StepReporter::channel();
        let (_unanswered, answers) = Answers::channel();
        let call = StepCall {
            run: errand.run,
            attempt: lease.attempt,
            handle: errand.handle,
            reporter,
            cancel,
            live: LiveHub::new().writer(&errand.step.key, lease.attempt),
            answers,
            step: errand.step,
        };
        let work = tokio::spawn(executor.execute(call));
        tokio::pin!(work);
        let ended = loop {
            tokio::select! {
                biased;
                Some(Spoken { told, noted }) = words.recv() => {
                    let is_noted = self.say(lease, News::Working, StepWord::told(told)).await;
                    if let Some(noted) = noted.filter(|_| is_noted) {
                        let _ = noted.send(());
                    }
                }
                ended = &mut work => break ended,
            }
        };
        match ended {
            Ok(Err(told)) if stop.is_cancelled() && told.again != Again::Never => {
                let failure = Failure::new(ErrorKind::Interrupted, "its worker left");
                Err(StepFailure {
                    failure,
                    spent: told.spent,
                    again: Again::CutOff,
                })
            }
            Ok(ended) => ended,
            Err(_) => {
                let failure = Failure::new(ErrorKind::Internal, "the executor panicked");
                Err(StepFailure::new(failure, Spent::Unknown))
            }
        }
    }

    /// States something, as long as the lease holds; tells whether it did.
    async fn say(&self, lease: &StepLease, news: News, word: StepWord) -> bool {
        let reported = StepReported {
            step: lease.step.clone(),
            attempt: lease.attempt,
            said: word,
        };
        let mut update = AgentUpdate::new(&reported, Timestamp::now());
        if let std::borrow::Cow::Owned(text) = self.redactor.redact(update.data.text()) {
            update.data = gemicro_event::Json::from_text(&text).unwrap_or_default();
        }
        let settlement = Settlement {
            lease: lease.clone(),
            news,
            events: vec![NewEvent::of_step(update, &lease.step, None)],
        };
        match self.store.settle(vec![settlement]).await.pop() {
            Some(Err(error)) => {
                tracing::warn!(%error, step = %lease.step, "a report came too late");
                false
            }
            Some(Ok(_)) | None => true,
        }
    }
}

fn lock(held: &Held) -> MutexGuard<'_, HashMap<(StreamId, StepKey), (StepLease, CancellationToken)>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
