//! The port through which steps have effects outside the run.
//!
//! An [`Executor`] runs the steps of one kind. It is in the crate that owns the effect; the engine registers it in
//! [`Executors`]. Executors do not retry and do not write to the journal themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, Json, Payload, StreamId, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::flow::{Again, Step, StepFailure, StepOutput};
use crate::live::LiveText;

/// Runs steps of one kind.
pub trait Executor: Send + Sync {
    /// Runs one attempt. When `call.cancel` fires, it stops at once and returns what it has.
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>>;

    /// Whether work with a handle continues outside when this process stops listening, so that it can be picked up
    /// later.
    fn survives_driver(&self) -> bool {
        true
    }

    /// Whether a step may be started again if it may have begun and its progress is unknown. Only this method decides
    /// that; a step that declares repetition harmless is checked here.
    fn may_begin_again(&self, _step: &Step) -> bool {
        true
    }

    /// A lower maximum cost of an attempt than `step.cost`, if it can be found out without cost. Called only if the
    /// budget does not allow `step.cost`.
    fn lower_cost(&self, _run: &StreamId, _step: &Step, _attempt: u32) -> BoxFuture<'static, Option<Charge>> {
        Box::pin(std::future::ready(None))
    }

    /// Maximum number of its steps that one run starts at the same time; the others wait in the order in which they are
    /// wanted.
    fn max_parallel(&self) -> Option<usize> {
        None
    }
}

/// One attempt at one step.
#[derive(Debug, Clone)]
pub struct StepCall {
    /// The run it belongs to.
    pub run: StreamId,
    /// The step to run, with its input.
    pub step: Step,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// The handle of an earlier, lost attempt (an interaction id, a session): ask there first.
    pub handle: Option<Json>,
    /// Reports a handle as soon as it is known, and unexpected output.
    pub reporter: StepReporter,
    /// Fires when the step is no longer wanted.
    pub cancel: CancellationToken,
    /// Receives text while it is written.
    pub live: LiveText,
    /// People's answers to questions of the run.
    pub answers: RunAnswers,
}

/// The answers given to a run, for an attempt that asked a question.
#[derive(Debug, Clone)]
pub struct RunAnswers {
    given: watch::Receiver<BTreeMap<String, Json>>,
}

impl RunAnswers {
    /// The answers, and the sender that adds to them.
    #[must_use]
    pub fn channel() -> (watch::Sender<BTreeMap<String, Json>>, Self) {
        let (sender, given) = watch::channel(BTreeMap::new());
        (sender, Self { given })
    }

    /// Waits for the answer to a question; `None` when it can no longer be given.
    pub async fn wait_for(&mut self, key: &str) -> Option<Json> {
        let answers = self.given.wait_for(|answers| answers.contains_key(key)).await;
        answers.ok()?.get(key).cloned()
    }
}

/// A message from a running attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum AttemptMessage {
    /// A handle by which it can be picked up after a crash.
    Handle(Json),
    /// Something unexpected came from outside; nothing failed.
    Alarm(String),
    /// An event for the journal.
    Fact(AgentUpdate),
}

/// A message from an attempt, and an optional notification when it is durable.
#[derive(Debug)]
pub struct AttemptNotice {
    /// The message of the attempt.
    pub message: AttemptMessage,
    /// Notified when the message is durable; dropped if it never will be.
    pub noted: Option<oneshot::Sender<()>>,
}

/// Reports messages of a running attempt; the driver writes them to the journal.
#[derive(Debug, Clone)]
pub struct StepReporter {
    sender: mpsc::UnboundedSender<AttemptNotice>,
}

impl StepReporter {
    /// A reporter, and the receiver of its messages.
    #[must_use]
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<AttemptNotice>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }

    /// Reports where the attempt can be picked up after a crash.
    pub fn handle(&self, handle: Json) {
        self.tell(AttemptMessage::Handle(handle));
    }

    /// Reports a handle and waits until it is durable, for work that must not begin before that.
    ///
    /// # Errors
    /// When it can no longer be written; then the work must not begin.
    pub async fn handle_noted(&self, handle: Json) -> Result<(), StepFailure> {
        let (noted, wait) = oneshot::channel();
        let spoken = AttemptNotice {
            message: AttemptMessage::Handle(handle),
            noted: Some(noted),
        };
        let _ = self.sender.send(spoken);
        wait.await.map_err(|_| {
            let failure = Failure::new(ErrorKind::Interrupted, "stopped before it began");
            StepFailure {
                again: Again::CutOff,
                ..StepFailure::free(failure)
            }
        })
    }

    /// Reports output that is not understood; this is not a failure.
    pub fn alarm(&self, message: String) {
        self.tell(AttemptMessage::Alarm(message));
    }

    /// Reports an event of the attempt.
    pub fn fact<P: Payload>(&self, fact: &P) {
        self.tell(AttemptMessage::Fact(AgentUpdate::new(fact, Timestamp::now())));
    }

    /// Passes on a message of an attempt that runs elsewhere.
    pub fn tell(&self, message: AttemptMessage) {
        // If the driver is gone, it no longer needs the message.
        let _ = self.sender.send(AttemptNotice { message, noted: None });
    }
}

/// The executors of a process, by step kind.
#[derive(Clone, Default)]
pub struct Executors {
    by_kind: BTreeMap<String, Arc<dyn Executor>>,
}

impl Executors {
    /// Adds one; a second one for the same kind replaces the first.
    #[must_use]
    pub fn with(mut self, kind: &str, executor: Arc<dyn Executor>) -> Self {
        self.by_kind.insert(kind.to_owned(), executor);
        self
    }

    /// The executor for a kind.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<Arc<dyn Executor>> {
        self.by_kind.get(kind).cloned()
    }

    /// All kinds that have an executor.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.by_kind.keys().map(String::as_str)
    }

    /// The kinds with a limit on steps at the same time, with that limit.
    pub fn limits(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_kind
            .iter()
            .filter_map(|(kind, executor)| Some((kind.as_str(), executor.max_parallel()?)))
    }
}

impl std::fmt::Debug for Executors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.by_kind.keys()).finish()
    }
}
