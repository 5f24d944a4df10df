//! The driver's loop: decide, act, wait.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures_util::FutureExt;
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, StepKey, StreamId, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::attempt::AttemptReport;
use super::begin::{Hold, LoadedRun, NewRun, fresh, load};
use super::clock::DriverClock;
use super::live_flow::{DynFlow, LiveFlow};
use super::{DriveContext, DriveEnd, DriveError};
use crate::execute::RunAnswers;
use crate::flow::{Decision, Flow, Outcome, Step};
use crate::run::{RunState, StepState};
use crate::store::{BoardLine, Lease, NewEvent};

/// Maximum time that messages of an attempt wait for its result, to be written with it.
const MOMENT: Duration = Duration::from_millis(5);

/// Drives a run until it ends or is suspended.
///
/// # Errors
/// When the store fails or another process took over the run. Appended events stay; the run can be resumed.
pub async fn drive<F: Flow>(ctx: &DriveContext, flow: &F, hold: Hold) -> Result<DriveEnd, DriveError> {
    drive_held(ctx, flow, hold).await
}

async fn drive_held(ctx: &DriveContext, flow: &dyn DynFlow, hold: Hold) -> Result<DriveEnd, DriveError> {
    let Hold { lease, first } = hold;
    let is_new = first.is_some();
    let loaded = match first {
        Some(first) => fresh(flow, &first)?,
        None => load(ctx, flow, &lease.stream).await?,
    };
    if loaded.run.ended {
        return Ok(DriveEnd::Terminal(Box::new(loaded.last)));
    }
    to_the_end(Driver::new(ctx, flow, lease, loaded), is_new).await
}

/// Creates a run and drives it until it ends or is suspended: its first event, its board and its first steps are one
/// transaction. `begun` receives a message when the run is durable, or the error if it cannot be created.
///
/// # Errors
/// As for [`drive`]; if `begun` receives an error, nothing was created.
pub async fn drive_new<F: Flow>(
    ctx: &DriveContext,
    flow: &F,
    new: NewRun,
    begun: oneshot::Sender<Result<(), DriveError>>,
) -> Result<DriveEnd, DriveError> {
    make_and_drive(ctx, flow, new, begun).await
}

async fn make_and_drive(
    ctx: &DriveContext,
    flow: &dyn DynFlow,
    new: NewRun,
    begun: oneshot::Sender<Result<(), DriveError>>,
) -> Result<DriveEnd, DriveError> {
    let recorded_at = ctx.options.recorded.as_ref().and_then(|it| it.started_at());
    let started_at = recorded_at.unwrap_or_else(Timestamp::now);
    let first = NewEvent::of_run(AgentUpdate::new(&new.started, started_at));
    let staged = ctx.store.as_written(vec![first.clone()]);
    let first = staged.first().cloned().unwrap_or(first);
    let loaded = match fresh(flow, &first.at(new.run.clone(), 1, new.parent_run.clone())) {
        Ok(loaded) => loaded,
        Err(error) => {
            let _ = begun.send(Err(error.clone()));
            return Err(error);
        }
    };
    let lease = Lease {
        stream: new.run.clone(),
        owner: ctx.options.owner.clone(),
        epoch: 0,
        expires_at: Timestamp::now(),
    };
    let mut driver = Driver::new(ctx, flow, lease, loaded);
    driver.staged = staged;
    driver.written_seq = 0;
    driver.unmade = Some((new, begun));
    driver.note_board();
    to_the_end(driver, true).await
}

async fn to_the_end(mut driver: Driver<'_>, is_new: bool) -> Result<DriveEnd, DriveError> {
    let ended = match AssertUnwindSafe(driver.run_to_end(is_new)).catch_unwind().await {
        Ok(ended) => ended,
        Err(_) => driver.finish_broken().await,
    };
    driver.abandon();
    if !matches!(ended, Ok(DriveEnd::Terminal(_))) {
        // A lease that cannot be released expires by itself; that of an ended run does not matter.
        let _ = driver.ctx.store.release_lease(&driver.lease).await;
    }
    ended
}

/// The driver of one run.
pub(super) struct Driver<'a> {
    pub(super) ctx: &'a DriveContext,
    pub(super) flow: &'a dyn DynFlow,
    pub(super) lease: Lease,
    pub(super) run: RunState,
    /// The flow with its state.
    pub(super) live: Box<dyn LiveFlow + 'a>,
    /// Attempts that run in this process.
    pub(super) running: BTreeMap<StepKey, RunningStep>,
    /// Where attempts report; the sender is cloned into each.
    pub(super) reports: mpsc::UnboundedReceiver<AttemptReport>,
    pub(super) reporter: mpsc::UnboundedSender<AttemptReport>,
    /// Ends that came before their place in the recording that is followed.
    pub(super) early: Vec<AttemptReport>,
    /// The decision that ends the run as in the recording that is followed.
    pub(super) last_decision: Option<Decision>,
    /// Answers given while this driver works, for attempts that asked.
    pub(super) answers: watch::Sender<BTreeMap<String, Json>>,
    pub(super) answered: RunAnswers,
    /// A clock that never goes backwards.
    pub(super) clock: DriverClock,
    /// Set when the store's disk failed during a step: the run stops and can be resumed.
    pub(super) halted: Option<Failure>,
    /// Another process asked for a pause: nothing new starts, and the run is suspended once that interrupts nothing.
    pub(super) is_paused: bool,
    /// Events that are folded but not yet written.
    pub(super) staged: Vec<NewEvent>,
    /// Lines of the board that are not yet written.
    pub(super) lines: BTreeMap<u32, BoardLine>,
    /// Attempts that wait until their messages are written.
    pub(super) to_note: Vec<oneshot::Sender<()>>,
    /// Until the run is created: its contents, and the caller that waits for it.
    pub(super) unmade: Option<(NewRun, oneshot::Sender<Result<(), DriveError>>)>,
    /// Sequence number of the last written event.
    pub(super) written_seq: u64,
    pub(super) last: Event,
}

/// An attempt that runs in this process.
pub(super) struct RunningStep {
    pub(super) step: Step,
    pub(super) attempt: u32,
    /// It picks up an earlier attempt.
    pub(super) picks_up: bool,
    /// Tells the attempt to stop.
    pub(super) cancel: CancellationToken,
    pub(super) abort: tokio::task::AbortHandle,
    /// Set when we stopped it: a failure is then not retried.
    pub(super) stopped: Option<Failure>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        ctx: &'a DriveContext,
        flow: &'a dyn DynFlow,
        lease: Lease,
        loaded: LoadedRun<'a>,
    ) -> Self {
        let (reporter, reports) = mpsc::unbounded_channel();
        let (answers, answered) = RunAnswers::channel();
        let written_seq = loaded.run.last_seq;
        Self {
            ctx,
            flow,
            lease,
            run: loaded.run,
            live: loaded.live,
            running: BTreeMap::new(),
            reports,
            reporter,
            early: Vec::new(),
            last_decision: None,
            answers,
            answered,
            clock: DriverClock::default(),
            halted: None,
            is_paused: false,
            staged: Vec::new(),
            lines: BTreeMap::new(),
            to_note: Vec::new(),
            unmade: None,
            written_seq,
            last: loaded.last,
        }
    }

    async fn run_to_end(&mut self, is_new: bool) -> Result<DriveEnd, DriveError> {
        let mut commands = every(self.ctx.options.command_poll);
        let mut heartbeat = every(self.ctx.options.lease_ttl / 3);
        if !is_new {
            // Commands sent while no process drove the run come before any step.
            self.refuse_old_pauses().await?;
            self.take_commands().await?;
        }
        loop {
            if let Some(end) = self.check_recording().await? {
                return Ok(end);
            }
            if self.run.ended {
                self.answer_late_commands().await;
                return Ok(DriveEnd::Terminal(Box::new(self.last.clone())));
            }
            if let Some(requested) = self.run.cancel.clone() {
                self.finish_cancelled(&requested).await?;
                continue;
            }
            if let Some(failure) = self.halted.take() {
                // Another process can resume it: nothing is wrong with the run.
                self.suspend(&failure.message, true).await?;
                return Err(DriveError::Halted(failure));
            }
            if self.is_paused && !self.runs_what_cannot_be_repeated() {
                self.suspend("paused on request", false).await?;
                return Ok(DriveEnd::Suspended);
            }
            let recorded = self.ctx.options.recorded.clone();
            let decision = match &recorded {
                Some(recorded) => self.decide_as_recorded(recorded),
                None if self.is_paused => self.decide().without_starts(),
                None => self.decide(),
            };
            if let Some(recorded) = &recorded
                && self.take_recorded(recorded).await?
            {
                continue;
            }
            if self.act(&decision).await? {
                continue;
            }
            if !self.only_words_staged() {
                self.flush().await?;
            }
            if let Some(recorded) = &recorded {
                self.note_nothing_made(recorded, &decision);
                continue;
            }
            let wake_at = self.next_wake(&decision);
            tokio::select! {
                biased;
                () = self.ctx.stop.leave.cancelled() => {
                    self.suspend("its process exited", true).await?;
                    return Ok(DriveEnd::Suspended);
                }
                () = self.ctx.stop.suspend.cancelled() => {
                    self.suspend("stopped on request", false).await?;
                    return Ok(DriveEnd::Suspended);
                }
                () = self.ctx.stop.cancel.cancelled() => self.request_cancel("cancelled by its owner").await?,
                Some(report) = self.reports.recv() => self.take_reports(report),
                // A result often follows a handle at once; both are then one transaction.
                () = tokio::time::sleep(MOMENT), if !self.staged.is_empty() => self.flush().await?,
                _ = commands.tick() => self.take_commands().await?,
                _ = heartbeat.tick() => {
                    self.lease = self.ctx.store.renew_lease(&self.lease, self.ctx.options.lease_ttl).await?;
                }
                () = self.clock.sleep_until(wake_at) => {}
            }
        }
    }

    /// Asks the flow for a decision; a panic there fails the run, not the process.
    pub(super) fn decide(&self) -> Decision {
        let decided = catch_unwind(AssertUnwindSafe(|| self.live.decide(&self.run)));
        decided.unwrap_or_else(|_| {
            let message = format!("the {} flow panicked while deciding", self.flow.name());
            let failure = Failure::new(ErrorKind::Internal, message);
            Decision {
                finish: Some(Outcome::Failed(failure)),
                ..Decision::default()
            }
        })
    }

    /// Carries out a decision; returns whether anything was written, so that the flow should decide again.
    async fn act(&mut self, decision: &Decision) -> Result<bool, DriveError> {
        let now = self.clock.now();
        if let Some(outcome) = &decision.finish {
            self.stage(self.warning_due(now).into_iter().collect());
            self.finish(outcome).await?;
            return Ok(true);
        }
        let due = self.due_events(decision, now);
        if !due.is_empty() {
            self.append(due).await?;
            self.stop_ordinary_after_deadline();
            return Ok(true);
        }
        for key in &decision.cancel {
            let failure = Failure::new(ErrorKind::Cancelled, "no longer needed");
            self.stop_step(key, failure);
        }
        if self.start_steps(&decision.want, now).await? {
            return Ok(true);
        }
        let is_stuck =
            self.running.is_empty() && self.next_wake(decision).is_none() && decision.waits.is_empty();
        if is_stuck && !self.recording_continues() {
            let message = format!(
                "the {} flow has nothing left to do and no result",
                self.flow.name()
            );
            self.finish(&Outcome::Failed(Failure::new(ErrorKind::Internal, message)))
                .await?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Aborts all running attempts without writing to the journal or cancelling outside calls: another process that
    /// took over the run may be using the same calls.
    pub(super) fn abandon(&mut self) {
        for (key, running) in std::mem::take(&mut self.running) {
            running.abort.abort();
            self.ctx.live.remove(&key);
        }
    }

    pub(super) fn run_id(&self) -> &StreamId {
        &self.lease.stream
    }

    pub(super) fn handle_of(&self, key: &StepKey) -> Option<Json> {
        match self.run.steps.get(key) {
            Some(StepState::Waiting { kept, .. }) => kept.as_ref().map(|(handle, _)| handle.clone()),
            Some(StepState::Running(_) | StepState::Completed | StepState::Failed(_)) | None => None,
        }
    }
}

/// An interval with this period; the first tick comes after one period.
fn every(pause: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + pause, pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
