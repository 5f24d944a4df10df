//! The data types of a store.

use gemicro_event::{AgentUpdate, Event, Json, SCHEMA_VERSION, StepKey, StreamId, Timestamp};
use serde::{Deserialize, Serialize};

/// The kind of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// One execution of a plan; ends with exactly one terminal event.
    Run,
    /// A log of turns without an end.
    Conversation,
    /// Reports of workers about the steps of a run that they took from the queue.
    Steps,
    /// The memory of a project: notes for agents, without an end.
    Memory,
}

impl StreamKind {
    /// The name for people and in stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Conversation => "conversation",
            Self::Steps => "steps",
            Self::Memory => "memory",
        }
    }
}

/// A stream to be created, with its first events.
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
    /// Owner and duration of a run lease taken in the same transaction; `None` takes none.
    pub lease: Option<(String, std::time::Duration)>,
}

/// A line of a run's board: the current state of one part of the run (such as a task of a batch), ready to be shown, so
/// that looking at a large run needs no folding. Boards are projections: [`Flow::board`](crate::flow::Flow::board)
/// makes the same lines from the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardLine {
    /// Its position on the board, from 0.
    pub place: u32,
    /// Its state, in one word.
    pub state: String,
    /// Its contents, for display.
    pub shown: Json,
}

/// An event without a position in a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Type, message, time and details.
    pub update: AgentUpdate,
    /// The step it is about.
    pub step: Option<StepKey>,
    /// Its effect on that step's attempts.
    pub mark: Option<StepMark>,
    /// Trace it belongs to.
    pub trace: Option<String>,
    /// Envelope fields of a newer writer, passed on unchanged.
    pub extra: Vec<(String, Json)>,
}

impl NewEvent {
    /// An event about the run as a whole.
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

    /// An event about one step.
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

    /// The event with its position in a stream.
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

/// The start or end of an attempt, for the store's step index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "mark", content = "attempt", rename_all = "snake_case")]
pub enum StepMark {
    /// This attempt runs now.
    Started(u32),
    /// This attempt is over, completed or not.
    Ended(u32),
}

/// The writer of an append, and the condition for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum Writer {
    /// The driver of the run: refused unless its lease epoch is current and nothing was appended since the event it
    /// knows.
    Driver {
        /// Epoch of its lease.
        epoch: u64,
        /// Sequence number of the last event it has folded.
        expected_seq: u64,
    },
    /// An executor: refused unless this attempt of this step is the running one.
    Executor { step: StepKey, attempt: u32 },
    /// Any process, for streams without a driver (conversations, imports). Refused while a run lease is valid.
    Outside,
}

/// Events to append to a stream, all or none.
#[derive(Debug, Clone)]
pub struct Append {
    /// Id of the stream that is written.
    pub stream: StreamId,
    /// The writer, which decides what is checked first.
    pub writer: Writer,
    /// The events, in this order.
    pub events: Vec<NewEvent>,
    /// Lines of the run's board that change with the events.
    pub board: Vec<BoardLine>,
}

/// The result of an append.
#[derive(Debug, Clone, PartialEq)]
pub struct AppendResult {
    /// The durable events, with their sequence numbers.
    pub events: Vec<Event>,
}

/// A part of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamPage {
    /// The events, in order and without gaps.
    pub events: Vec<Event>,
    /// Set if the requested position no longer exists: the first sequence number that does.
    pub first_available: Option<u64>,
    /// Sequence number of the stream's last event.
    pub last_seq: u64,
}

/// The right to drive a run until it expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The run that is driven.
    pub stream: StreamId,
    /// Host and process of the holder.
    pub owner: String,
    /// Increases with every new holder; required for all its appends.
    pub epoch: u64,
    /// When it ends unless renewed.
    pub expires_at: Timestamp,
}

/// A cached fold: the sequence number it covers, and its bytes.
pub type SavedFold = (u64, Vec<u8>);
