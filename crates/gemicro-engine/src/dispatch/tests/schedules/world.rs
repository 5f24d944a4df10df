//! One schedule: a driver, workers, and what may become of both.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gemicro_core::budget::Purpose;
use gemicro_core::execute::{
    AttemptMessage, AttemptNotice, Executor, Executors, RunAnswers, StepCall, StepReporter,
};
use gemicro_core::flow::{Again, RetryPolicy, Step, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::queue::{ClaimRequest, ClaimedStep, StepQueue, WorkerNews};
use gemicro_core::store::NewEvent;
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::{MayBeginAgain, done};
use super::{MINUTE, N_ACTS, N_STEPS};
use crate::dispatch::QueuedSteps;
use crate::dispatch::reports::{StepReported, StepWord};

/// What the journal of the run has about a step.
#[derive(Default)]
struct Entry {
    attempt: u32,
    handle: Option<Json>,
    end: Option<Result<StepOutput, Failure>>,
}

/// The journal: only the driver with the newest epoch can write.
#[derive(Default)]
struct Journal {
    epoch: u64,
    steps: BTreeMap<usize, Entry>,
}

/// A step that some worker has, or had.
struct Taken {
    claimed: ClaimedStep,
    has_begun: bool,
}

pub(super) struct World {
    store: Arc<DurableStore>,
    random: u64,
    run: StreamId,
    kinds: [String; 2],
    journal: Arc<Mutex<Journal>>,
    driving: Vec<(usize, JoinHandle<Result<StepOutput, StepFailure>>)>,
    steps: QueuedSteps,
    taken: Vec<Taken>,
    n_begun: [usize; N_STEPS],
}

impl World {
    pub(super) fn new(store: Arc<DurableStore>, seed: u64) -> Self {
        let kinds = [format!("shell{seed}"), format!("llm{seed}")];
        Self {
            steps: driver(&store, &kinds),
            store,
            random: seed,
            run: StreamId::random(),
            kinds,
            journal: Arc::default(),
            driving: Vec::new(),
            taken: Vec::new(),
            n_begun: [0; N_STEPS],
        }
    }

    pub(super) async fn play(mut self) {
        for _ in 0..N_ACTS {
            self.drive().await;
            match self.below(12) {
                0..=2 => self.take().await,
                3..=4 => self.begin().await,
                5 => self.finish().await,
                6 => self.leave().await,
                7..=8 => self.fall_silent().await,
                9 => self.change_driver().await,
                _ => self.look(0).await.clear(),
            }
        }
        // Now everything is well, but for what was left behind.
        while !self.taken.is_empty() {
            self.fall_silent_for_good(0).await;
        }
        while !self.has_ended() {
            self.drive().await;
            self.take().await;
            while !self.taken.is_empty() {
                let (n_before, at) = (self.taken.len(), 0);
                self.begin_at(at).await;
                if self.taken.len() == n_before {
                    self.finish_at(at).await;
                }
            }
            tokio::task::yield_now().await;
        }
        let journal = lock(&self.journal);
        for (step, entry) in &journal.steps {
            let n_begun = self.n_begun[*step];
            let seed = self.kinds[0].as_str();
            match entry.end.as_ref().expect("it has ended") {
                Ok(_) => assert!(n_begun > 0, "{seed}: step {step} is done and never began"),
                Err(failure) => assert!(
                    matches!(failure.kind, ErrorKind::Interrupted | ErrorKind::Internal),
                    "{seed}: step {step}: {failure:?}"
                ),
            }
            assert!(
                n_begun <= 1 || *step >= N_STEPS / 2,
                "{seed}: command {step} began {n_begun} times"
            );
            assert!(
                entry.attempt < 80,
                "{seed}: step {step} had {} attempts",
                entry.attempt
            );
        }
    }

    fn has_ended(&self) -> bool {
        let journal = lock(&self.journal);
        journal.steps.len() == N_STEPS && journal.steps.values().all(|entry| entry.end.is_some())
    }

    /// Takes what attempts ended with into the journal, and starts those that are due, as a driver does.
    async fn drive(&mut self) {
        for (step, attempt) in std::mem::take(&mut self.driving) {
            if attempt.is_finished() {
                let ended = attempt.await.expect("joined");
                self.settle(step, ended);
            } else {
                self.driving.push((step, attempt));
            }
        }
        for step in 0..N_STEPS {
            let is_due = {
                let mut journal = lock(&self.journal);
                journal.steps.entry(step).or_default().end.is_none()
            };
            if is_due && self.driving.iter().all(|(driven, _)| *driven != step) {
                let attempt = self.start(step);
                self.driving.push((step, attempt));
            }
        }
    }

    fn settle(&mut self, step: usize, ended: Result<StepOutput, StepFailure>) {
        let mut journal = lock(&self.journal);
        let entry = journal.steps.entry(step).or_default();
        match ended {
            Ok(output) => entry.end = Some(Ok(output)),
            Err(error) if error.failure.kind == ErrorKind::SessionNotFound => entry.handle = None,
            Err(error) if error.again == Again::CutOff => {}
            Err(error) => entry.end = Some(Err(error.failure)),
        }
    }

    fn start(&self, step: usize) -> JoinHandle<Result<StepOutput, StepFailure>> {
        let (reporter, mut spoken) = StepReporter::channel();
        let (attempt, handle, epoch) = {
            let mut journal = lock(&self.journal);
            let epoch = journal.epoch;
            let entry = journal.steps.entry(step).or_default();
            entry.attempt += 1;
            (entry.attempt, entry.handle.clone(), epoch)
        };
        let journal = self.journal.clone();
        tokio::spawn(async move {
            while let Some(AttemptNotice { message, noted }) = spoken.recv().await {
                let mut journal = lock(&journal);
                // Whoever was replaced writes nothing more.
                if journal.epoch != epoch {
                    continue;
                }
                if let AttemptMessage::Handle(handle) = message {
                    journal.steps.entry(step).or_default().handle = Some(handle);
                }
                if let Some(noted) = noted {
                    let _ = noted.send(());
                }
            }
        });
        let step = Step {
            key: StepKey::new(format!("s{step}")),
            kind: self.kinds[step * 2 / N_STEPS].clone(),
            input: Json::from(json!({})),
            cost: Charge::ZERO,
            purpose: Purpose::Ordinary,
            retry: RetryPolicy::default(),
            timeout_ms: None,
        };
        tokio::spawn(self.steps.execute(StepCall {
            run: self.run.clone(),
            live: LiveHub::new().writer(&step.key, attempt),
            step,
            attempt,
            handle,
            reporter,
            cancel: CancellationToken::new(),
            answers: RunAnswers::channel().1,
        }))
    }

    /// Another process drives on. The one before died, or was stopped and wakes up later.
    async fn change_driver(&mut self) {
        lock(&self.journal).epoch += 1;
        let is_dead = self.below(2) == 0;
        for (_, attempt) in std::mem::take(&mut self.driving) {
            if is_dead {
                attempt.abort();
            }
        }
        self.steps = driver(&self.store, &self.kinds);
    }

    async fn take(&mut self) {
        let claimed = self.look(2).await;
        let taken = claimed.into_iter().map(|claimed| Taken {
            claimed,
            has_begun: false,
        });
        self.taken.extend(taken);
    }

    async fn look(&self, max_steps: usize) -> Vec<ClaimedStep> {
        let claim = ClaimRequest {
            worker: "w".to_owned(),
            kinds: self.kinds.to_vec(),
            max_steps,
            ttl: MINUTE,
        };
        self.store.claim(claim).await.expect("looked")
    }

    async fn begin(&mut self) {
        if let Some(at) = self.any() {
            self.begin_at(at).await;
        }
    }

    /// As an executor does: what is picked up is a command that must not begin, or a call that goes on.
    async fn begin_at(&mut self, at: usize) {
        let taken = &self.taken[at];
        if taken.has_begun {
            return;
        }
        let step = number(&taken.claimed);
        let left = taken
            .claimed
            .data
            .get("handle")
            .filter(|handle| !handle.is_null());
        if left.is_some() && step < N_STEPS / 2 {
            self.fail_at(at, Again::Never, false).await;
            return;
        }
        let handle = StepWord::Handle(Json::from(json!({ "at": at })));
        if self.say(at, WorkerNews::Working, handle).await {
            self.n_begun[step] += 1;
            self.taken[at].has_begun = true;
        } else {
            self.taken.remove(at);
        }
    }

    async fn finish(&mut self) {
        if let Some(at) = self.any() {
            self.finish_at(at).await;
        }
    }

    async fn finish_at(&mut self, at: usize) {
        if self.taken[at].has_begun {
            self.say(at, WorkerNews::Completed, done()).await;
            self.taken.remove(at);
        }
    }

    /// A worker leaves and says so.
    async fn leave(&mut self) {
        let Some(at) = self.any() else { return };
        let is_command = number(&self.taken[at].claimed) < N_STEPS / 2;
        match self.taken[at].has_begun {
            true if is_command => self.fail_at(at, Again::Never, false).await,
            has_begun => self.fail_at(at, Again::CutOff, !has_begun).await,
        }
    }

    async fn fail_at(&mut self, at: usize, again: Again, not_begun: bool) {
        let error = Failure::new(ErrorKind::Interrupted, "its worker shut down");
        let reason = error.clone();
        let word = StepWord::Failed {
            error,
            charge: None,
            again,
            not_begun,
        };
        self.say(at, WorkerNews::Failed { reason }, word).await;
        self.taken.remove(at);
    }

    /// A lease runs out; its worker is dead, or was stopped and goes on later.
    async fn fall_silent(&mut self) {
        let Some(at) = self.any() else { return };
        if self.below(2) == 0 {
            self.fall_silent_for_good(at).await;
        } else {
            let lease = self.taken[at].claimed.lease.clone();
            self.store
                .heartbeat(vec![lease], Duration::ZERO)
                .await
                .expect("beaten");
        }
    }

    async fn fall_silent_for_good(&mut self, at: usize) {
        let lease = self.taken.remove(at).claimed.lease;
        self.store
            .heartbeat(vec![lease], Duration::ZERO)
            .await
            .expect("beaten");
    }

    /// Whether the lease held.
    async fn say(&self, at: usize, news: WorkerNews, said: StepWord) -> bool {
        let lease = &self.taken[at].claimed.lease;
        let reported = StepReported {
            step: lease.step.clone(),
            attempt: lease.attempt,
            said,
        };
        let events = vec![NewEvent::of_run(AgentUpdate::new(&reported, Timestamp::now()))];
        self.store.settle_one(lease, news, events).await.is_ok()
    }

    fn any(&mut self) -> Option<usize> {
        let n_taken = u64::try_from(self.taken.len()).expect("few");
        (n_taken > 0).then(|| usize::try_from(self.below(n_taken)).expect("few"))
    }

    /// The same numbers for the same seed (SplitMix64).
    fn below(&mut self, most: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % most
    }
}

fn number(claimed: &ClaimedStep) -> usize {
    claimed.lease.step.as_str()[1..].parse().expect("a number")
}

fn driver(store: &Arc<DurableStore>, kinds: &[String; 2]) -> QueuedSteps {
    let [shell, llm] = kinds;
    let executors = Executors::default()
        .with(shell, Arc::new(MayBeginAgain(false)))
        .with(llm, Arc::new(MayBeginAgain(true)));
    QueuedSteps::new(store.clone(), executors)
}

fn lock(journal: &Mutex<Journal>) -> std::sync::MutexGuard<'_, Journal> {
    journal.lock().unwrap_or_else(PoisonError::into_inner)
}
