//! What goes into a store and comes out of it.

use gemicro_event::{AgentUpdate, Event, Json, SCHEMA_VERSION, StepKey, StreamId, Timestamp};
use serde::{Deserialize, Serialize};

/// What a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// One execution of a plan; ends with exactly one terminal event.
    Run,
    /// A log of turns without an end.
    Conversation,
    /// What workers say about the steps of a run that they took from the queue.
    Steps,
}

impl StreamKind {
    /// The word for it, for people and in stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Conversation => "conversation",
            Self::Steps => "steps",
        }
    }
}

/// A stream to be made, together with its first events.
#[derive(Debug, Clone)]
pub struct NewStream {
    /// Id of the stream that is written.
    pub stream: StreamId,
    /// What sort of stream it is.
    pub kind: StreamKind,
    /// The run that started it.
    pub parent_run: Option<StreamId>,
    /// Its first events, appended in the same transaction.
    pub events: Vec<NewEvent>,
    /// Lines of its board, written in the same transaction.
    pub board: Vec<BoardLine>,
    /// Who takes the run lease in the same transaction, and for how long; `None` leaves it free.
    pub lease: Option<(String, std::time::Duration)>,
}

/// A line of a run's board: something that the run is about (a task of a batch) as it stands, ready to be shown, so
/// that a look at a large run folds nothing. Boards are projections: [`Flow::board`](crate::flow::Flow::board) makes
/// the same lines from the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardLine {
    /// Its place on the board, from 0.
    pub place: u32,
    /// How it stands, in one word.
    pub state: String,
    /// What is shown of it.
    pub shown: Json,
}

/// An event before it has a place in a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Type, message, time and details.
    pub update: AgentUpdate,
    /// The step it speaks about.
    pub step: Option<StepKey>,
    /// What it means for that step's attempts.
    pub mark: Option<StepMark>,
    /// Trace it belongs to.
    pub trace: Option<String>,
    /// Envelope fields of a newer writer, passed on as they are.
    pub extra: Vec<(String, Json)>,
}

impl NewEvent {
    /// A fact about the run as a whole.
    #[must_use]
    pub fn of_run(update: AgentUpdate) -> Self {
        Self {
            update,
            step: None,
            mark: None,
            trace: None,
            extra: Vec::new(),
        }
    }

    /// A fact about one step.
    #[must_use]
    pub fn of_step(update: AgentUpdate, step: &StepKey, mark: Option<StepMark>) -> Self {
        Self {
            update,
            step: Some(step.clone()),
            mark,
            trace: None,
            extra: Vec::new(),
        }
    }

    /// The event it becomes at its place in a stream.
    #[must_use]
    pub fn at(self, stream: StreamId, seq: u64, parent_run: Option<StreamId>) -> Event {
        Event {
            stream,
            seq,
            schema_version: SCHEMA_VERSION,
            update: self.update,
            step: self.step,
            parent_run,
            trace: self.trace,
            extra: self.extra,
        }
    }
}

/// The life of an attempt, as the store's step index sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "mark", content = "attempt", rename_all = "snake_case")]
pub enum StepMark {
    /// This attempt runs now.
    Started(u32),
    /// This attempt is over, in whatever way.
    Ended(u32),
}

/// Who appends, and what must hold for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum Writer {
    /// The driver of the run: refused unless its lease epoch is the current one and nothing was appended
    /// since the event it knows.
    Driver {
        /// Epoch of its lease.
        epoch: u64,
        /// Sequence number of the last event it has folded.
        expected_seq: u64,
    },
    /// An executor: refused unless this attempt of this step is the running one.
    Executor { step: StepKey, attempt: u32 },
    /// Anyone, for streams without a driver (conversations, imports). Refused while a run lease is alive.
    Outside,
}

/// Events to append to a stream, all or none.
#[derive(Debug, Clone)]
pub struct Append {
    /// Id of the stream that is written.
    pub stream: StreamId,
    /// Who appends, which decides what is checked first.
    pub writer: Writer,
    /// The events, in this order.
    pub events: Vec<NewEvent>,
    /// Lines of the run's board that change with it.
    pub board: Vec<BoardLine>,
}

/// The events with their places.
#[derive(Debug, Clone, PartialEq)]
pub struct AppendResult {
    /// As they are now durable.
    pub events: Vec<Event>,
}

/// A piece of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamPage {
    /// In order, without gaps.
    pub events: Vec<Event>,
    /// Set when the asked place is no longer there: the first sequence number that is.
    pub first_available: Option<u64>,
    /// Sequence number of the stream's last event.
    pub last_seq: u64,
}

/// The right to drive a run for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The run that is driven.
    pub stream: StreamId,
    /// Host and process of the holder.
    pub owner: String,
    /// Grows with every new holder; the fence of all its appends.
    pub epoch: u64,
    /// When it ends unless renewed.
    pub expires_at: Timestamp,
}

/// A kept fold: up to which event, and its bytes.
pub type SavedFold = (u64, Vec<u8>);
