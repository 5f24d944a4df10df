//! What a recording contains: [`Recording`].

use gemicro_core::run::events::RunReaders;
use gemicro_core::store::StreamKind;
use gemicro_event::{Event, StepKey, StreamId, Timestamp};
use serde::{Deserialize, Serialize};

/// The version of the file that this program writes, and the newest one that it reads. It changes when an older program
/// could not read a file correctly.
pub const FORMAT_VERSION: u32 = 1;

/// A run or a conversation with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The first line of the file.
    pub header: RecordingHeader,
    /// The journals: that of the root first, then those of its child runs or turns, in the order in which they started.
    pub streams: Vec<RecordedStream>,
    /// The contents that the events refer to.
    pub blobs: Vec<RecordedBlob>,
    /// The text of running steps, piece by piece.
    pub live: Vec<LiveDelta>,
}

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Always `gemicro`.
    pub recording: String,
    /// Version of the file format.
    pub version: u32,
    /// The program that wrote the file.
    pub program: String,
    /// The flow of the run, or `conversation`.
    pub kind: String,
    /// The run or conversation.
    pub root: StreamId,
    /// The longest prompt of a conversation, in tokens; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_prompt_tokens: Option<u64>,
}

/// One journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedStream {
    /// The run or conversation.
    pub id: StreamId,
    /// What sort of stream it is.
    pub kind: StreamKind,
    /// All of its events.
    pub events: Vec<Event>,
}

/// Contents that events refer to by their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBlob {
    /// The stream that it is restored for.
    pub stream: StreamId,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A piece of text that a step wrote while it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveDelta {
    /// The run of the step.
    pub run: StreamId,
    /// The step that wrote it.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// When it arrived.
    pub at: Timestamp,
    /// The new text.
    pub text: String,
}

impl Recording {
    /// The journal of the run or conversation that was recorded.
    #[must_use]
    pub fn root(&self) -> Option<&RecordedStream> {
        self.streams.iter().find(|stream| stream.id == self.header.root)
    }

    /// The runs, in the order in which they started.
    pub fn runs(&self) -> impl Iterator<Item = &RecordedStream> {
        self.streams
            .iter()
            .filter(|stream| stream.kind == StreamKind::Run)
    }
}

impl RecordedStream {
    /// The name of the flow, or `conversation`.
    #[must_use]
    pub fn flow(&self) -> String {
        let first = self.events.first();
        let started = first.and_then(|event| event.update.as_run_started());
        started.map_or_else(|| "conversation".to_owned(), |started| started.flow)
    }
}
