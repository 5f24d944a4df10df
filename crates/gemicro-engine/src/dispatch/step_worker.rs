//! The worker's side: claims steps from the queue and runs them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gemicro_core::execute::{self, AttemptNotice, Executors, RunAnswers, StepCall, StepReporter};
use gemicro_core::flow::{Again, AttemptCost, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::queue::{
    ClaimRequest, ClaimedStep, Heartbeat, Settlement, StepLease, StepQueue, WorkerNews,
};
use gemicro_core::store::{NewEvent, StoreError};
use gemicro_event::redact::Redactor;
use gemicro_event::{AgentUpdate, ErrorKind, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use tokio_util::sync::CancellationToken;

use super::reports::{StepReported, StepWord, WorkerErrand};

/// Maximum time between the heartbeats of a worker.
const LEASE: Duration = Duration::from_secs(6);
/// Polling interval of the queue while there is capacity.
const LOOK: Duration = Duration::from_millis(100);
/// Wait before a store that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// Runs steps of these kinds until it is stopped.
pub(crate) struct StepWorker {
    pub(crate) store: Arc<DurableStore>,
    pub(crate) executors: Executors,
    /// The step kinds to claim.
    pub(crate) kinds: Vec<String>,
    /// Its name in messages.
    pub(crate) name: String,
    /// Maximum number of concurrent steps.
    pub(crate) max_steps: usize,
    /// Removes secrets from reports.
    pub(crate) redactor: Redactor,
    /// Whether the store did not answer the last time.
    pub(crate) is_away: AtomicBool,
}

type HeldSteps = Arc<Mutex<HashMap<(StreamId, StepKey), HeldStep>>>;

/// A step that this worker has claimed.
#[derive(Clone)]
struct HeldStep {
    lease: StepLease,
    kind: String,
    cancel: CancellationToken,
}

impl StepWorker {
    /// Works until it is stopped; running steps are left for other workers.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let (worker, held) = (Arc::new(self), HeldSteps::default());
        // In its own task, and until the last report: slow work must not let a lease expire.
        let beating = tokio::spawn({
            let (worker, held) = (worker.clone(), held.clone());
            async move {
                let mut heartbeat = tokio::time::interval(LEASE / 3);
                heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
                loop {
                    heartbeat.tick().await;
                    worker.stay(&held).await;
                }
            }
        });
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut tasks = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = look.tick() => {
                    for claimed in worker.claim(&held).await {
                        let key = (claimed.lease.stream.clone(), claimed.lease.step.clone());
                        let step = HeldStep {
                            lease: claimed.lease.clone(),
                            kind: claimed.kind.clone(),
                            cancel: CancellationToken::new(),
                        };
                        let cancel = step.cancel.clone();
                        lock(&held).insert(key.clone(), step);
                        let (worker, held, stop) = (worker.clone(), held.clone(), stop.clone());
                        tasks.spawn(async move {
                            worker.work(claimed, cancel, stop).await;
                            lock(&held).remove(&key);
                        });
                    }
                }
                Some(_) = tasks.join_next() => {}
            }
        }
        while tasks.join_next().await.is_some() {}
        beating.abort();
    }

    /// Claims only steps that can begin at once, because a claimed step counts as begun.
    async fn claim(&self, held: &HeldSteps) -> Vec<ClaimedStep> {
        let mut claimed = self.take(self.rooms(held, false)).await;
        let limited = self.rooms(held, true);
        // Claiming also detects silent workers; once is enough.
        if limited.max_steps > 0 {
            claimed.extend(self.take(limited).await);
        }
        claimed
    }

    /// The kinds with (or without) their own limit, and how many steps of these can begin now.
    fn rooms(&self, held: &HeldSteps, is_limited: bool) -> ClaimRequest {
        let held = lock(held);
        let limits: HashMap<&str, usize> = self.executors.limits().collect();
        let room = |kind: &str| {
            let n_held = held.values().filter(|step| step.kind == kind).count();
            limits.get(kind).map(|limit| limit.saturating_sub(n_held))
        };
        let n_free = self.max_steps.saturating_sub(held.len());
        let kinds = self.kinds.iter().filter(|kind| match room(kind) {
            Some(n_steps) => is_limited && n_steps > 0,
            None => !is_limited,
        });
        let kinds: Vec<String> = kinds.cloned().collect();
        let smallest = kinds.iter().filter_map(|kind| room(kind)).min();
        ClaimRequest {
            worker: self.name.clone(),
            max_steps: match kinds.is_empty() {
                true => 0,
                false => n_free.min(smallest.unwrap_or(n_free)),
            },
            kinds,
            ttl: LEASE,
        }
    }

    async fn take(&self, claim: ClaimRequest) -> Vec<ClaimedStep> {
        match self.store.claim(claim).await {
            Ok(claimed) => {
                if self.is_away.swap(false, Ordering::Relaxed) {
                    tracing::info!("the queue can be looked at again");
                }
                claimed
            }
            Err(error) => {
                if !self.is_away.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "cannot read the queue");
                }
                tokio::time::sleep(AGAIN).await;
                Vec::new()
            }
        }
    }

    /// Renews all leases; stops steps whose lease is lost or that were cancelled.
    async fn stay(&self, held: &HeldSteps) {
        let all: Vec<HeldStep> = lock(held).values().cloned().collect();
        if all.is_empty() {
            return;
        }
        let leases = all.iter().map(|step| step.lease.clone()).collect();
        match self.store.heartbeat(leases, LEASE).await {
            Ok(answers) => {
                for (step, answer) in all.iter().zip(answers) {
                    if !matches!(answer, Heartbeat::Alive { .. }) {
                        step.cancel.cancel();
                    }
                }
            }
            // Claiming logs the outage as a warning.
            Err(error) => tracing::debug!(%error, "leases cannot be renewed"),
        }
    }

    async fn work(&self, claimed: ClaimedStep, cancel: CancellationToken, stop: CancellationToken) {
        let lease = &claimed.lease;
        let (ended, not_begun) = match claimed.data.parse::<WorkerErrand>() {
            Ok(errand) => self.attempt(lease, errand, cancel, &stop).await,
            Err(error) => {
                let failure = Failure::new(
                    ErrorKind::Internal,
                    format!("cannot read the queued step: {error}"),
                );
                (Err(StepFailure::free(failure)), true)
            }
        };
        let news = match &ended {
            Ok(_) => WorkerNews::Completed,
            Err(error) if error.failure.kind == ErrorKind::Cancelled => WorkerNews::Cancelled,
            Err(error) => WorkerNews::Failed {
                reason: error.failure.clone(),
            },
        };
        let word = StepWord::attempt_ended(&ended, not_begun);
        // If the store does not answer, keep trying; the lease is renewed meanwhile.
        let started = tokio::time::Instant::now();
        while let ReportOutcome::StoreAway = self.say(lease, news.clone(), word.clone()).await {
            if stop.is_cancelled() && started.elapsed() > LEASE {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Runs one attempt with the real executor and forwards its messages. Also returns whether it certainly had not
    /// begun.
    async fn attempt(
        &self,
        lease: &StepLease,
        errand: WorkerErrand,
        cancel: CancellationToken,
        stop: &CancellationToken,
    ) -> (Result<StepOutput, StepFailure>, bool) {
        let Some(executor) = self.executors.get(&errand.step.kind) else {
            let message = format!("this worker cannot run steps of kind {}", errand.step.kind);
            let failure = Failure::new(ErrorKind::Internal, message);
            return (Err(StepFailure::free(failure)), true);
        };
        let (reporter, mut words) = StepReporter::channel();
        let (_unanswered, answers) = RunAnswers::channel();
        let mut has_handle = errand.handle.is_some();
        let call = StepCall {
            run: errand.run,
            attempt: lease.attempt,
            handle: errand.handle,
            reporter,
            cancel: cancel.clone(),
            live: LiveHub::new().writer(&errand.step.key, lease.attempt),
            answers,
            step: errand.step,
        };
        let mut work = tokio::spawn(executor.execute(call));
        let mut leaves = false;
        let ended = loop {
            tokio::select! {
                biased;
                Some(AttemptNotice { message, noted }) = words.recv() => {
                    has_handle |= matches!(message, execute::AttemptMessage::Handle(_));
                    let said = self.say(lease, WorkerNews::Working, StepWord::attempt_said(message)).await;
                    if let Some(noted) = noted.filter(|_| matches!(said, ReportOutcome::Noted)) {
                        let _ = noted.send(());
                    }
                }
                ended = &mut work => break ended,
                () = stop.cancelled(), if !leaves => {
                    leaves = true;
                    if has_handle && executor.survives_driver() {
                        // An attempt that can be resumed continues outside: only stop listening.
                        work.abort();
                    } else {
                        cancel.cancel();
                    }
                }
            }
        };
        let error = match ended {
            Ok(Ok(output)) => return (Ok(output), false),
            Ok(Err(error)) => error,
            Err(error) if error.is_cancelled() => {
                StepFailure::new(Failure::new(ErrorKind::Cancelled, "left"), AttemptCost::Unknown)
            }
            Err(_) => {
                let failure = Failure::new(ErrorKind::Internal, "the executor panicked");
                StepFailure::new(failure, AttemptCost::Unknown)
            }
        };
        let not_begun = error.spent == AttemptCost::Nothing
            && match error.again {
                Again::AsUsual => !has_handle,
                // It was waiting for its handle to be durable, so it had not begun.
                Again::CutOff => true,
                Again::Never => false,
            };
        (Err(seen_from_outside(error, leaves)), not_begun)
    }

    /// Reports something, while the lease is valid.
    async fn say(&self, lease: &StepLease, news: WorkerNews, word: StepWord) -> ReportOutcome {
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
            Some(Err(error @ (StoreError::Io { .. } | StoreError::Full { .. }))) => {
                tracing::debug!(%error, step = %lease.step, "a report cannot be written yet");
                ReportOutcome::StoreAway
            }
            Some(Err(error)) => {
                tracing::warn!(%error, step = %lease.step, "a report came too late");
                ReportOutcome::TooLate
            }
            Some(Ok(_)) | None => ReportOutcome::Noted,
        }
    }
}

/// The result of a report.
enum ReportOutcome {
    Noted,
    /// The lease is lost.
    TooLate,
    /// The store does not answer, so the result is unknown.
    StoreAway,
}

/// The failure as the driver sees it. An attempt that failed because its worker shuts down, or because of the worker's
/// own disk, was cut off; one that may have changed something was interrupted.
fn seen_from_outside(error: StepFailure, leaves: bool) -> StepFailure {
    let is_cut_off = leaves || error.failure.kind == ErrorKind::StorageError;
    match error.again {
        Again::Never if leaves && error.failure.kind == ErrorKind::Cancelled => {
            let message = "interrupted because its worker shut down; its changes so far are kept. Check them, then retry the task";
            StepFailure {
                failure: Failure::new(ErrorKind::Interrupted, message),
                ..error
            }
        }
        Again::AsUsual | Again::CutOff if is_cut_off => {
            let why = match leaves {
                true => "its worker shut down".to_owned(),
                false => error.failure.message,
            };
            StepFailure {
                failure: Failure::new(ErrorKind::Interrupted, why),
                spent: error.spent,
                again: Again::CutOff,
            }
        }
        Again::AsUsual | Again::CutOff | Again::Never => error,
    }
}

fn lock(held: &HeldSteps) -> MutexGuard<'_, HashMap<(StreamId, StepKey), HeldStep>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
