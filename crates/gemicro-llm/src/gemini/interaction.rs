//! What the service says, in our own words: the neutral form between the wire and the chunks.

use gemicro_core::llm::FunctionCall;
use gemicro_event::Usage;

/// An interaction as the service tells it; in streams without its steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Interaction {
    /// Its name; none when it is not stored.
    pub(super) id: Option<String>,
    pub(super) status: InteractionStatus,
    pub(super) steps: Vec<InteractionStep>,
    pub(super) usage: Option<Usage>,
    /// `errors[]`.
    pub(super) problems: Vec<InteractionProblem>,
}

/// Where an interaction stands. The service may add more at any time.
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
    /// What we asked.
    Input,
    Thought,
    /// What the model wrote.
    Output {
        blocks: Vec<InteractionBlock>,
        problem: Option<InteractionProblem>,
    },
    /// A tool call of the provider or its result.
    Tool,
    /// A call of a function that we run.
    FunctionCall(FunctionCall),
    Unknown(String),
}

/// A part of what the model wrote.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InteractionBlock {
    Text {
        text: String,
        citations: Vec<InteractionCitation>,
    },
    /// An image or a sound.
    Media,
}

/// A page named for a part of a text block. Offsets are bytes of the block and not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InteractionCitation {
    pub(super) url: String,
    pub(super) title: Option<String>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Something the service calls an error, after it said HTTP 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InteractionProblem {
    pub(super) code: Option<String>,
    pub(super) message: String,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InteractionEvent {
    /// Where a stream can be taken up again.
    pub(super) id: Option<String>,
    pub(super) happening: StreamHappening,
}

/// What an event says.
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
    /// With the usage of the interaction so far.
    StepStopped {
        usage: Option<Usage>,
    },
    Completed(Interaction),
    Failed(InteractionProblem),
    Unknown(String),
}

/// What is added to a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InteractionDelta {
    Text(String),
    Citations(Vec<InteractionCitation>),
    Media,
    /// A piece of the arguments of a function call.
    Arguments(String),
    /// Thoughts, searches, signatures.
    Other,
    Unknown(String),
}
