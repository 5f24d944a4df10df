//! The port through which steps reach the world.
//!
//! An [`Executor`] runs the steps of one kind. It lives in the crate that owns the effect; the engine
//! registers it in [`Executors`]. Executors retry nothing and journal nothing themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_event::{AgentUpdate, ErrorKind, Failure, Json, Payload, StreamId, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::flow::{Again, Step, StepFailure, StepOutput};
use crate::live::LiveText;

/// Runs steps of one kind.
pub trait Executor: Send + Sync {
    /// Runs one attempt. When `call.cancel` fires it stops at once and gives back what it knows.
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>>;

    /// Whether work with a handle goes on outside when nobody listens here, to be picked up later.
    fn survives_driver(&self) -> bool {
        true
    }

    /// Whether a step that may have begun, and of which nobody can say how far it came, may be begun again. This is the
    /// only place where that is decided: a step whose repetition is harmless by its own word belongs here.
    fn may_begin_again(&self, _step: &Step) -> bool {
        true
    }

    /// How many of its steps one run starts at the same time; the others wait in the order in which they are wanted.
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
    /// What an earlier, lost attempt left outside (an interaction id, a session): ask there first.
    pub handle: Option<Json>,
    /// Where to report such a handle as soon as it is known, and what is odd.
    pub reporter: StepReporter,
    /// Fires when the step is no longer wanted.
    pub cancel: CancellationToken,
    /// Where text goes while it is being written.
    pub live: LiveText,
    /// What people answered to the questions of the run.
    pub answers: RunAnswers,
}

/// The answers that a run was given, for an attempt that asked something.
#[derive(Debug, Clone)]
pub struct RunAnswers {
    given: watch::Receiver<BTreeMap<String, Json>>,
}

impl RunAnswers {
    /// Answers, and the end where they are put in.
    #[must_use]
    pub fn channel() -> (watch::Sender<BTreeMap<String, Json>>, Self) {
        let (sender, given) = watch::channel(BTreeMap::new());
        (sender, Self { given })
    }

    /// Waits for the answer to a question; `None` when nobody can give it any more.
    pub async fn wait_for(&mut self, key: &str) -> Option<Json> {
        let answers = self.given.wait_for(|answers| answers.contains_key(key)).await;
        answers.ok()?.get(key).cloned()
    }
}

/// What a running attempt tells beside its result.
#[derive(Debug, Clone, PartialEq)]
pub enum AttemptMessage {
    /// Where it can be picked up after a crash.
    Handle(Json),
    /// Something unknown came from outside; nothing failed.
    Alarm(String),
    /// A fact for the journal.
    Fact(AgentUpdate),
}

/// What an attempt tells, and who waits until it is durable.
#[derive(Debug)]
pub struct AttemptNotice {
    /// The message of the attempt.
    pub message: AttemptMessage,
    /// Is told when that is durable; dropped where it never will be.
    pub noted: Option<oneshot::Sender<()>>,
}

/// Takes what a running attempt has to say; the driver journals it at once.
#[derive(Debug, Clone)]
pub struct StepReporter {
    sender: mpsc::UnboundedSender<AttemptNotice>,
}

impl StepReporter {
    /// A reporter and the end where its words arrive.
    #[must_use]
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<AttemptNotice>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }

    /// Reports where the attempt can be picked up after a crash.
    pub fn handle(&self, handle: Json) {
        self.tell(AttemptMessage::Handle(handle));
    }

    /// Reports a handle and waits until it is durable: for what must not be begun before that.
    ///
    /// # Errors
    /// When nobody will write it down any more: then nothing must be begun.
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

    /// Reports output that is not understood; nothing fails because of it.
    pub fn alarm(&self, message: String) {
        self.tell(AttemptMessage::Alarm(message));
    }

    /// Reports a fact of the attempt's own kind.
    pub fn fact<P: Payload>(&self, fact: &P) {
        self.tell(AttemptMessage::Fact(AgentUpdate::new(fact, Timestamp::now())));
    }

    /// Passes on what an attempt told elsewhere.
    pub fn tell(&self, message: AttemptMessage) {
        // A driver that is gone no longer needs it.
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

    /// The kinds of which one run starts only so many at the same time.
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
