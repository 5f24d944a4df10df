//! The loop around a running agent: reads, speaks, watches the clock, and leads it to its end.

use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use gemicro_event::ErrorKind;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::capture::Capture;
use super::feed::Feed;
use super::limits::RunLimits;
use super::live::Live;
use super::process::{Exited, Process};
use super::stage::{Stage, Why};
use super::watcher::Watcher;
use crate::dialogue::Dialogue;
use crate::item::AgentItem;
use crate::permission::{PermissionAnswer, PermissionId};
use crate::protocol::Cancel;
use crate::transcript::Transcript;

/// How much is read at once.
const STDOUT_BYTES: usize = 32 * 1024;
const STDERR_BYTES: usize = 8 * 1024;
/// After this silence the protocol stops waiting for messages that may never come.
const QUIET: Duration = Duration::from_millis(500);
/// How long a kill may take, and what the pipes still hold after the end.
const KILL: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_secs(2);

/// A running agent and everything that listens to it.
pub(super) struct Watch<'a> {
    pub(super) process: Process,
    pub(super) feed: Feed,
    pub(super) dialogue: Dialogue,
    pub(super) limits: RunLimits,
    pub(super) live: Live,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
    pub(super) watcher: &'a mut dyn Watcher,
    pub(super) clock: Clock,
    pub(super) transcript: Transcript,
    pub(super) stage: Stage,
    pub(super) why: Option<Why>,
    pub(super) exited: Option<Exited>,
    pub(super) permissions: FuturesUnordered<BoxFuture<'static, (PermissionId, PermissionAnswer)>>,
}

/// The times that count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// When the process began.
    pub(super) began: Instant,
    /// When it printed something for the first time.
    pub(super) first_output: Option<Instant>,
    /// When it last did, or got an answer.
    last_life: Instant,
    is_quiet_told: bool,
    /// When the pipes of a process that is gone are given up.
    drain_until: Option<Instant>,
}

impl Clock {
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

impl Watch<'_> {
    /// Stays until the process is gone and its streams are read, or until it cannot be ended.
    pub(super) async fn run<O, E>(&mut self, stdout: O, stderr: E, cancel: &CancellationToken)
    where
        O: AsyncRead + Unpin,
        E: AsyncRead + Unpin,
    {
        let (mut stdout, mut stderr) = (Some(stdout), Some(stderr));
        let (mut out_buffer, mut err_buffer) = (vec![0; STDOUT_BYTES], vec![0; STDERR_BYTES]);
        let mut timer = Box::pin(sleep_until(self.next_deadline()));
        let mut may_cancel = true;
        loop {
            let is_read = stdout.is_none() && stderr.is_none();
            if self.exited.is_some() && is_read {
                break;
            }
            self.feed.add(self.dialogue.take_input());
            set(&mut timer, self.next_deadline());
            tokio::select! {
                () = cancel.cancelled(), if may_cancel => {
                    may_cancel = false;
                    self.cancel();
                }
                () = &mut timer => match self.tick() {
                    Tick::GoOn => {}
                    Tick::StopReading => (stdout, stderr) = (None, None),
                    Tick::GiveUp => break,
                },
                exited = self.process.wait(), if self.exited.is_none() => {
                    self.exited = Some(exited);
                    self.feed.close();
                    self.clock.drain_until = Some(Instant::now() + DRAIN);
                }
                n_bytes = read(&mut stdout, &mut out_buffer) => {
                    let bytes = out_buffer.get(..n_bytes).unwrap_or_default();
                    if bytes.is_empty() {
                        stdout = None;
                    }
                    self.output(bytes);
                }
                n_bytes = read(&mut stderr, &mut err_buffer) => {
                    let bytes = err_buffer.get(..n_bytes).unwrap_or_default();
                    if bytes.is_empty() {
                        stderr = None;
                    }
                    self.stderr.push(bytes);
                }
                () = self.feed.write(), if self.feed.is_due() => {}
                Some((id, answer)) = self.permissions.next(), if !self.permissions.is_empty() => {
                    self.dialogue.answer(&id, &answer);
                    self.clock.alive();
                }
            }
        }
        let items = self.dialogue.finish();
        self.items(items);
        let Self { live, watcher, .. } = self;
        live.flush(|item| watcher.item(item));
    }

    fn output(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.clock.alive();
        self.clock.first_output.get_or_insert(self.clock.last_life);
        self.stdout.push(bytes);
        let items = self.dialogue.feed(bytes);
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

    /// The agent said how its turn ended: it has nothing more to read, and should leave.
    fn turn_over(&mut self) {
        match self.stage {
            Stage::Working => {
                self.feed.close();
                self.stage = Stage::Lingering(Instant::now() + self.limits.linger);
            }
            Stage::Told(_) => {
                self.feed.close();
                self.ask();
            }
            Stage::Lingering(_) | Stage::Asked(_) | Stage::Killed(_) | Stage::Forced(_) => {}
        }
    }

    fn cancel(&mut self) {
        match self.stage {
            Stage::Working => {
                self.why = Some(Why::Stopped(ErrorKind::Cancelled));
                match self.dialogue.cancel() {
                    Cancel::Told => self.stage = Stage::Told(Instant::now() + self.limits.grace / 3),
                    Cancel::EndProcess => self.ask(),
                }
            }
            Stage::Lingering(_) => {
                self.why = Some(Why::TurnOver);
                self.ask();
            }
            Stage::Told(_) | Stage::Asked(_) | Stage::Killed(_) | Stage::Forced(_) => {}
        }
    }

    fn stop(&mut self, kind: ErrorKind) {
        self.why = Some(Why::Stopped(kind));
        self.ask();
    }

    fn ask(&mut self) {
        let grace = match self.stage {
            Stage::Told(_) => self.limits.grace - self.limits.grace / 3,
            _ => self.limits.grace,
        };
        self.process.ask();
        self.stage = Stage::Asked(Instant::now() + grace);
    }

    /// Does what is due.
    fn tick(&mut self) -> Tick {
        let now = Instant::now();
        if self.exited.is_some() {
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
            Stage::Working => {}
            Stage::Lingering(_) => {
                self.why = Some(Why::TurnOver);
                self.ask();
            }
            Stage::Told(_) => self.ask(),
            Stage::Asked(_) => {
                self.process.kill();
                self.stage = Stage::Killed(now + KILL);
            }
            Stage::Killed(_) => {
                self.process.force();
                self.stage = Stage::Forced(now + KILL);
            }
            Stage::Forced(_) => return Tick::GiveUp,
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
            self.dialogue.quiet();
        }
    }

    /// When silence becomes a failure. Not while we owe an answer.
    fn idle_at(&self) -> Option<Instant> {
        self.permissions
            .is_empty()
            .then(|| self.clock.last_life + self.limits.idle)
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

/// What the loop has to do after a tick.
enum Tick {
    GoOn,
    StopReading,
    GiveUp,
}

/// Moves the timer forward only: a deadline that moved away is found out when the timer fires, which is cheaper
/// than moving the timer with every piece of output.
fn set(timer: &mut Pin<Box<Sleep>>, at: Instant) {
    if at < timer.deadline() || timer.is_elapsed() {
        timer.as_mut().reset(at);
    }
}

/// Reads once; 0 is the end, and so is an error.
async fn read<R: AsyncRead + Unpin>(stream: &mut Option<R>, buffer: &mut [u8]) -> usize {
    match stream {
        Some(stream) => stream.read(buffer).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}
