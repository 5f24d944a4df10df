//! The data of the service in gemicro's own types, between the wire format and the chunks.

use gemicro_core::llm::FunctionCall;
use gemicro_event::Usage;

/// An interaction as reported by the service; in streams it has no steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Interaction {
    /// Its id; `None` if it is not stored.
    pub(super) id: Option<String>,
    pub(super) status: InteractionStatus,
    pub(super) steps: Vec<InteractionStep>,
    pub(super) usage: Option<Usage>,
    pub(super) problems: Vec<InteractionProblem>,
}

/// The status of an interaction. The service may add more at any time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InteractionStatus {
    /// In progress, or waiting for its turn.
    Running,
    Completed,
    RequiresAction,
    Failed,
    Cancelled,
    Incomplete,
    BudgetExceeded,
    RequiresContinuation,
    Unknown(String),
}

/// One step of an interaction.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InteractionStep {
    Input,
    Thought,
    /// Output of the model.
    Output {
        blocks: Vec<InteractionBlock>,
        problem: Option<InteractionProblem>,
    },
    /// A tool call of the provider or its result.
    Tool,
    /// A call of a function that gemicro runs.
    FunctionCall(FunctionCall),
    Unknown(String),
}

/// A part of the model's output.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InteractionBlock {
    Text {
        text: String,
        citations: Vec<InteractionCitation>,
    },
    /// An image or audio.
    Media,
}

/// A page cited for a part of a text block. Offsets are in bytes of the block and not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InteractionCitation {
    pub(super) url: String,
    pub(super) title: Option<String>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// An error that the service reports in a response with HTTP 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InteractionProblem {
    pub(super) code: Option<String>,
    pub(super) message: String,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InteractionEvent {
    /// The id from which a stream can be resumed.
    pub(super) id: Option<String>,
    pub(super) happening: StreamHappening,
}

/// The kind of an event, with its data.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StreamHappening {
    Created(Interaction),
    StatusChanged {
        id: Option<String>,
        status: InteractionStatus,
    },
    StepStarted {
        index: usize,
        step: InteractionStep,
    },
    StepChanged {
        index: usize,
        delta: InteractionDelta,
    },
    /// A step ended; with the usage of the interaction so far.
    StepStopped {
        usage: Option<Usage>,
    },
    Completed(Interaction),
    Failed(InteractionProblem),
    Unknown(String),
}

/// An addition to a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InteractionDelta {
    Text(String),
    Citations(Vec<InteractionCitation>),
    Media,
    /// Part of the arguments of a function call.
    Arguments(String),
    Other,
    Unknown(String),
}
