//! The main loop of a turn: reads output, writes input, enforces time limits, and ends the turn and, if necessary, the
//! process.

use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use gemicro_event::ErrorKind;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::agent::{AgentProcess, STDERR_BYTES, STDOUT_BYTES, read};
use super::capture::Capture;
use super::limits::RunLimits;
use super::live::LiveItems;
use super::run_stage::{RunStage, StageAfter, StopCause};
use super::watcher::RunWatcher;
use crate::item::AgentItem;
use crate::permission::{PermissionAnswer, PermissionId};
use crate::protocol::Cancel;
use crate::transcript::TurnTranscript;

/// Silence after which the protocol stops waiting for messages that may never come.
const QUIET: Duration = Duration::from_millis(500);
/// Maximum time for a kill, and for reading the pipes after the end.
const KILL: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_secs(2);

/// One turn of an agent, with its streams, watcher and clock.
pub(super) struct TurnWatch<'a> {
    pub(super) agent: &'a mut AgentProcess,
    pub(super) after: StageAfter,
    pub(super) limits: RunLimits,
    pub(super) live: LiveItems,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
    pub(super) watcher: &'a mut dyn RunWatcher,
    pub(super) clock: TurnClock,
    pub(super) transcript: TurnTranscript,
    pub(super) stage: RunStage,
    pub(super) why: Option<StopCause>,
    pub(super) permissions: FuturesUnordered<BoxFuture<'static, (PermissionId, PermissionAnswer)>>,
}

/// The times of a turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnClock {
    /// When the turn began.
    pub(super) began: Instant,
    /// Time of the first output.
    pub(super) first_output: Option<Instant>,
    /// Time of the last output or answer.
    last_life: Instant,
    is_quiet_told: bool,
    /// Time at which the pipes of an ended process are given up.
    drain_until: Option<Instant>,
}

impl TurnClock {
    pub(super) fn start() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            first_output: None,
            last_life: now,
            is_quiet_told: false,
            drain_until: None,
        }
    }

    fn alive(&mut self) {
        self.last_life = Instant::now();
        self.is_quiet_told = false;
    }
}

impl TurnWatch<'_> {
    /// Runs until the turn is over and the process stays, or until the process is gone and its streams are read, or
    /// until it cannot be ended.
    pub(super) async fn run(&mut self, cancel: &CancellationToken) {
        let (mut out_buffer, mut err_buffer) = (vec![0; STDOUT_BYTES], vec![0; STDERR_BYTES]);
        let mut timer = Box::pin(sleep_until(self.next_deadline()));
        let mut may_cancel = true;
        if self.agent.exited.is_some() {
            self.clock.drain_until = Some(Instant::now() + DRAIN);
        }
        loop {
            let is_read = self.agent.stdout.is_none() && self.agent.stderr.is_none();
            let is_gone = self.agent.exited.is_some() && is_read;
            if is_gone || self.stage == RunStage::Over {
                break;
            }
            let agent = &mut *self.agent;
            agent.feed.add(agent.dialogue.take_input());
            set(&mut timer, self.next_deadline());
            let agent = &mut *self.agent;
            tokio::select! {
                () = cancel.cancelled(), if may_cancel => {
                    may_cancel = false;
                    self.cancel();
                }
                () = &mut timer => match self.tick() {
                    Tick::GoOn => {}
                    Tick::StopReading => (self.agent.stdout, self.agent.stderr) = (None, None),
                    Tick::GiveUp => break,
                },
                exited = agent.process.wait(), if agent.exited.is_none() => {
                    agent.exited = Some(exited);
                    agent.feed.close();
                    self.clock.drain_until = Some(Instant::now() + DRAIN);
                }
                n_bytes = read(&mut agent.stdout, &mut out_buffer) => {
                    if n_bytes == 0 {
                        agent.stdout = None;
                    }
                    self.output(out_buffer.get(..n_bytes).unwrap_or_default());
                }
                n_bytes = read(&mut agent.stderr, &mut err_buffer) => {
                    if n_bytes == 0 {
                        agent.stderr = None;
                    }
                    self.stderr.push(err_buffer.get(..n_bytes).unwrap_or_default());
                }
                () = agent.feed.write(), if agent.feed.is_due() => {}
                Some((id, answer)) = self.permissions.next(), if !self.permissions.is_empty() => {
                    agent.dialogue.answer(&id, &answer);
                    self.clock.alive();
                }
            }
        }
        if self.stage != RunStage::Over {
            let items = self.agent.dialogue.finish();
            self.items(items);
        }
        let Self { live, watcher, .. } = self;
        live.flush(|item| watcher.item(item));
    }

    fn output(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.clock.alive();
        self.clock.first_output.get_or_insert(self.clock.last_life);
        if self.after == StageAfter::Stay {
            self.agent.note_kin();
        }
        self.stdout.push(bytes);
        let items = self.agent.dialogue.feed(bytes);
        self.items(items);
    }

    fn items(&mut self, items: Vec<AgentItem>) {
        for item in items {
            self.transcript.add(&item);
            match &item {
                AgentItem::Permission(request) => {
                    let id = request.id.clone();
                    let answer = self.watcher.permission(request);
                    let answer = async move { (id, answer.await) };
                    self.permissions.push(Box::pin(answer));
                }
                AgentItem::Ended(_) => self.turn_over(),
                _ => {}
            }
            let Self { live, watcher, .. } = self;
            live.show(item, |item| watcher.item(item));
        }
    }

    /// Handles the end of the turn, as reported by the agent.
    fn turn_over(&mut self) {
        let may_stay = self.after == StageAfter::Stay && self.agent.is_fit();
        match self.stage {
            RunStage::Working | RunStage::Notified(_) if may_stay => self.stage = RunStage::Over,
            // It has nothing more to read and should exit.
            RunStage::Working => {
                self.agent.feed.close();
                self.stage = RunStage::Lingering(Instant::now() + self.limits.linger);
            }
            RunStage::Notified(_) => {
                self.agent.feed.close();
                self.ask();
            }
            RunStage::Over
            | RunStage::Lingering(_)
            | RunStage::Asked(_)
            | RunStage::Killed(_)
            | RunStage::Forced(_) => {}
        }
    }

    fn cancel(&mut self) {
        match self.stage {
            RunStage::Working => {
                self.why = Some(StopCause::Stopped(ErrorKind::Cancelled));
                match self.agent.dialogue.cancel() {
                    Cancel::Notified => self.stage = RunStage::Notified(Instant::now() + self.stop_grace()),
                    Cancel::EndProcess => self.ask(),
                }
            }
            RunStage::Lingering(_) => {
                self.why = Some(StopCause::TurnOver);
                self.ask();
            }
            RunStage::Over
            | RunStage::Notified(_)
            | RunStage::Asked(_)
            | RunStage::Killed(_)
            | RunStage::Forced(_) => {}
        }
    }

    /// The part of the grace period in which a turn that is being stopped may answer. It is longer if the process is to
    /// survive.
    fn stop_grace(&self) -> Duration {
        match self.after {
            StageAfter::Leave => self.limits.grace / 3,
            StageAfter::Stay => self.limits.grace / 3 * 2,
        }
    }

    fn stop(&mut self, kind: ErrorKind) {
        self.why = Some(StopCause::Stopped(kind));
        self.ask();
    }

    fn ask(&mut self) {
        let grace = match self.stage {
            RunStage::Notified(_) => self.limits.grace.saturating_sub(self.stop_grace()),
            _ => self.limits.grace,
        };
        self.agent.process.ask();
        self.stage = RunStage::Asked(Instant::now() + grace);
    }

    /// Does what is due.
    fn tick(&mut self) -> Tick {
        let now = Instant::now();
        if self.agent.exited.is_some() {
            let is_late = self.clock.drain_until.is_some_and(|until| now >= until);
            return if is_late { Tick::StopReading } else { Tick::GoOn };
        }
        if self.stage.is_working() {
            self.working_tick(now);
            return Tick::GoOn;
        }
        if self.stage.until().is_some_and(|until| now < until) {
            return Tick::GoOn;
        }
        match self.stage {
            RunStage::Working | RunStage::Over => {}
            RunStage::Lingering(_) => {
                self.why = Some(StopCause::TurnOver);
                self.ask();
            }
            RunStage::Notified(_) => self.ask(),
            RunStage::Asked(_) => {
                self.agent.process.kill();
                self.stage = RunStage::Killed(now + KILL);
            }
            RunStage::Killed(_) => {
                self.agent.process.force();
                self.stage = RunStage::Forced(now + KILL);
            }
            RunStage::Forced(_) => return Tick::GiveUp,
        }
        Tick::GoOn
    }

    fn working_tick(&mut self, now: Instant) {
        if now >= self.clock.began + self.limits.total {
            self.stop(ErrorKind::Timeout);
        } else if self.idle_at().is_some_and(|at| now >= at) {
            self.stop(ErrorKind::IdleTimeout);
        } else if !self.clock.is_quiet_told && now >= self.clock.last_life + QUIET {
            self.clock.is_quiet_told = true;
            self.agent.dialogue.quiet();
        }
    }

    /// When silence becomes a failure; never while we owe an answer.
    fn idle_at(&self) -> Option<Instant> {
        let silence = match self.transcript.session {
            Some(_) => self.limits.idle,
            None => self.limits.idle.min(self.limits.opening),
        };
        self.permissions
            .is_empty()
            .then(|| self.clock.last_life + silence)
    }

    fn next_deadline(&self) -> Instant {
        let total = self.clock.began + self.limits.total;
        if let Some(until) = self.clock.drain_until {
            return until;
        }
        let Some(until) = self.stage.until() else {
            let quiet = (!self.clock.is_quiet_told).then(|| self.clock.last_life + QUIET);
            return [self.idle_at(), quiet]
                .into_iter()
                .flatten()
                .fold(total, Instant::min);
        };
        until
    }
}

/// The next action of the loop.
enum Tick {
    GoOn,
    StopReading,
    GiveUp,
}

/// Only moves the timer to an earlier time. If the deadline moved to a later one, that is noticed when the timer fires,
/// which is cheaper than moving the timer with every chunk of output.
fn set(timer: &mut Pin<Box<Sleep>>, at: Instant) {
    if at < timer.deadline() || timer.is_elapsed() {
        timer.as_mut().reset(at);
    }
}
