//! Runs in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_stream::stream;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::drive::{DriveEnd, RecordedRun, StopSignals};
use gemicro_core::live::LiveHub;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use gemicro_steps::Plan;
use tokio::sync::watch;

use crate::engine::Engine;
use crate::run::{CancelOutcome, DrivenRun};
use crate::run_service::{RunService, RunSighting, RunSightings};
use crate::store_reads::StoreReads;
use crate::troubles::Troubles;

/// An engine and the runs that it currently drives.
#[derive(Clone)]
pub struct LocalRunService {
    engine: Engine,
    running: Arc<Mutex<HashMap<StreamId, LocalRun>>>,
    /// Runs that were stopped by their store.
    troubles: Troubles,
}

/// A run that is being driven.
#[derive(Clone)]
struct LocalRun {
    live: LiveHub,
    stop: StopSignals,
    /// The number of events once driving has ended.
    ended: watch::Receiver<Option<Result<u64, Failure>>>,
}

impl LocalRun {
    /// Waits until driving has ended; returns the number of events.
    async fn wait_for_end(&mut self) -> Result<u64, Failure> {
        match self.ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone().unwrap_or(Ok(0)),
            Err(_) => {
                let message = "the task that watches a run panicked; the run's journal is intact";
                Err(Failure::new(ErrorKind::Internal, message))
            }
        }
    }
}

impl LocalRunService {
    /// Runs everything in this process, through the engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            running: Arc::default(),
            troubles: Troubles::default(),
        }
    }

    /// The engine that starts and drives the runs.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The runs that are being driven.
    #[must_use]
    pub fn runs(&self) -> Vec<StreamId> {
        self.lock_runs().keys().cloned().collect()
    }

    /// Resumes a run that no process drives.
    ///
    /// # Errors
    /// When another process drives it, it has ended, or this program cannot read it.
    pub async fn resume(&self, run: &StreamId) -> Result<(), Failure> {
        self.resume_from(run, StopSignals::default(), |_| false).await?;
        Ok(())
    }

    /// The same, but waits for the lease of an owner that is gone to expire, unless it is stopped first.
    ///
    /// # Errors
    /// Those of [`resume`](Self::resume).
    pub async fn resume_from(
        &self,
        run: &StreamId,
        stop: StopSignals,
        owner_is_gone: impl Fn(&str) -> bool,
    ) -> Result<RunSightings, Failure> {
        let run = self.engine.resume_from(run, stop.clone(), owner_is_gone).await?;
        let id = run.id.clone();
        self.keep(run, stop);
        Ok(self.open_watch(&id))
    }

    /// Drives a run again as its recording says.
    ///
    /// # Errors
    /// When its flow is not one of this program, or the store cannot take it.
    pub async fn replay(
        &self,
        recorded: Arc<RecordedRun>,
        stop: StopSignals,
    ) -> Result<RunSightings, Failure> {
        let run = self.engine.replay(recorded, stop.clone()).await?;
        let id = run.id.clone();
        self.keep(run, stop);
        Ok(self.open_watch(&id))
    }

    /// Starts a run again under its recorded id, without following its recording; see [`Engine::run_again`].
    ///
    /// # Errors
    /// When its flow is not one of this program, or the store cannot take it.
    pub async fn run_again(&self, first: &Event, stop: StopSignals) -> Result<RunSightings, Failure> {
        let run = self.engine.run_again(first, stop.clone()).await?;
        let id = run.id.clone();
        self.keep(run, stop);
        Ok(self.open_watch(&id))
    }

    /// Runs that were stopped by their store.
    pub(crate) fn troubles(&self) -> &Troubles {
        &self.troubles
    }

    /// Whether no run is running or waits for its store, and no other handle to this service exists.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.lock_runs().is_empty()
            && self.troubles.runs().is_empty()
            && Arc::strong_count(&self.running) == 1
    }

    /// Whether this service drives a run.
    #[must_use]
    pub fn carries(&self, run: &StreamId) -> bool {
        self.lock_runs().contains_key(run)
    }

    /// Stops every run, leaves them resumable, and waits until they are.
    pub async fn suspend_all(&self) {
        self.stop_all(|stop| stop.suspend.cancel()).await;
    }

    /// Stops every run so that another process can resume it, and waits until they are stopped.
    pub async fn leave_all(&self) {
        self.stop_all(|stop| stop.leave.cancel()).await;
    }

    async fn stop_all(&self, stop: impl Fn(&StopSignals)) {
        let all: Vec<LocalRun> = self.lock_runs().values().cloned().collect();
        for running in &all {
            stop(&running.stop);
        }
        for mut running in all {
            let _ = running.wait_for_end().await;
        }
    }

    fn keep(&self, run: DrivenRun, stop: StopSignals) {
        let (sender, ended) = watch::channel(None);
        let id = run.id.clone();
        let running = LocalRun {
            live: run.live.clone(),
            stop,
            ended,
        };
        self.lock_runs().insert(id.clone(), running);
        let here = self.clone();
        tokio::spawn(async move {
            let ended = match run.wait().await {
                Ok(DriveEnd::Terminal(last)) => Ok(last.seq),
                Ok(DriveEnd::Suspended) => match here.engine.store().run(&id).await {
                    Ok(row) => Ok(row.n_events),
                    Err(error) => Err(error.into()),
                },
                Err(failure) => Err(failure),
            };
            match &ended {
                Ok(_) => here.troubles.forget(&id),
                Err(failure) => {
                    tracing::warn!(run = %id, %failure, "a run stopped without an end");
                    here.troubles.note(&id, failure, Instant::now());
                }
            }
            sender.send_replace(Some(ended));
            here.lock_runs().remove(&id);
        });
    }

    fn open_watch(&self, run: &StreamId) -> RunSightings {
        let events = self.engine.store().subscribe(run, 0);
        let running = self.lock_runs().get(run).cloned();
        RunSightings {
            run: run.clone(),
            items: match running {
                Some(running) => drive_stream(events, running),
                None => Box::pin(events.map(|event| event.map(RunSighting::Event).map_err(Failure::from))),
            },
        }
    }

    fn lock_runs(&self) -> MutexGuard<'_, HashMap<StreamId, LocalRun>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events and live text of a run in this process, until driving has ended and its last event was sent.
fn drive_stream(
    mut events: BoxStream<'static, Result<Event, StoreError>>,
    mut running: LocalRun,
) -> BoxStream<'static, Result<RunSighting, Failure>> {
    let mut live = running.live.subscribe();
    Box::pin(stream! {
        let (mut last_seq, mut seen) = (None, 0);
        while last_seq.is_none_or(|last_seq| seen < last_seq) {
            tokio::select! {
                event = events.next() => match event {
                    None => return,
                    Some(Ok(event)) => {
                        seen = event.seq;
                        yield Ok(RunSighting::Event(event));
                    }
                    Some(Err(error)) => {
                        yield Err(error.into());
                        return;
                    }
                },
                Some(item) = live.next() => yield Ok(RunSighting::Live(item)),
                ended = running.wait_for_end(), if last_seq.is_none() => match ended {
                    Ok(n_events) => last_seq = Some(n_events),
                    Err(failure) => {
                        yield Err(failure);
                        return;
                    }
                },
            }
        }
    })
}

impl RunService for LocalRunService {
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        Box::pin(async move {
            let stop = StopSignals::default();
            let started = self.engine.start_as(&run, &plan, stop.clone()).await?;
            self.keep(started, stop);
            Ok(self.open_watch(&run))
        })
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        let run = run.clone();
        Box::pin(async move {
            self.engine.store().run(&run).await?;
            Ok(self.open_watch(&run))
        })
    }

    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.engine.send(&run, command).await })
    }

    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>> {
        let reads = StoreReads::over(self.engine.store().as_ref().clone());
        Box::pin(async { Ok(reads) })
    }

    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>> {
        let trouble = self.troubles.of(run);
        Box::pin(async move { trouble })
    }

    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        let (run, reason) = (run.clone(), reason.to_owned());
        Box::pin(async move { self.engine.cancel(&run, &reason).await })
    }

    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(async move {
            match self.resume(&run).await {
                Err(failure) if failure.kind == ErrorKind::Conflict => Ok(()),
                resumed => resumed,
            }
        })
    }

    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let running = self.lock_runs().get(run).cloned();
        Box::pin(async move {
            if let Some(mut running) = running {
                running.stop.suspend.cancel();
                running.wait_for_end().await?;
            }
            Ok(())
        })
    }
}
