//! The news of a chat.

use gemicro_core::history::{Transport, Turn};
use gemicro_event::{Charge, Failure, StreamId, Usage};

use crate::ConversationRow;

/// Something that happened. Show news in the order received.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// A conversation is open: the first news, and again after each change to another one.
    Opened(Chapter),
    /// Everything left open by an earlier chat is settled, and messages are accepted. Follows [`Opened`](Self::Opened)
    /// for an existing conversation.
    Ready,
    /// Another speaker answers from now on.
    Speaker(String),
    /// A message was sent; its turn is in the log.
    Asked {
        /// The turn with the user's message.
        turn: Turn,
        /// The run that answers it.
        run: StreamId,
        /// How the speaker receives the earlier turns.
        transport: Transport,
    },
    /// The next part of the answer, to be appended.
    Text(String),
    /// The text of this answer so far does not count: another attempt begins.
    StartedOver,
    /// A tool is used, or has ended; the same id again replaces its line.
    Tool(ToolLine),
    /// A tool waits for permission.
    Question(ToolQuestion),
    /// The question is settled, by this user or otherwise.
    Settled {
        /// The key of the question.
        key: String,
    },
    /// The final answer, as in the log. It replaces the earlier parts.
    Answered {
        /// The turn with the assistant's answer.
        turn: Turn,
        /// Tokens that it used.
        usage: Option<Usage>,
        /// Milliseconds from sending to the end.
        duration_ms: u64,
    },
    /// There is no answer. The message stays in the log.
    Failed {
        /// Why there is no answer.
        failure: Failure,
        /// Even a shorter prompt took too long: a new conversation (`/clear`) may help.
        offers_clear: bool,
    },
    /// The answer was stopped on request.
    Stopped,
    /// Turns from this number on were withdrawn.
    Undone {
        /// The first turn that no longer counts.
        from: u64,
    },
    /// Something worth knowing, in one line.
    Notice(String),
    /// A problem without consequences, in one line.
    Warning(String),
    /// An order that cannot be carried out, with the reason.
    Refused(String),
    /// Tokens and cost so far.
    Meter(Meter),
    /// The stored conversations, newest first.
    Listed(Vec<ConversationRow>),
    /// The chat is over; nothing follows.
    Closed,
}

/// A conversation when it is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// The id of the conversation.
    pub id: StreamId,
    /// Its name for people.
    pub name: String,
    /// The speaker, for people: `gemini · gemini-3.1-pro-preview`.
    pub speaker: String,
    /// Its last turns, the newest last.
    pub turns: Vec<Turn>,
    /// Total number of turns.
    pub n_turns: u64,
}

/// Usage of the prompt and the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meter {
    /// Estimated tokens of the next prompt, rather too high than too low.
    pub prompt_tokens: u64,
    /// Maximum tokens of a prompt.
    pub max_prompt_tokens: u64,
    /// Whether any part of the conversation is left out of it.
    pub is_compressed: bool,
    /// Number of compactions of the conversation.
    pub n_compactions: u64,
    /// Total cost of the conversation.
    pub spent: Charge,
    /// Its tokens that came from a provider's cache.
    pub cached_tokens: u64,
}

/// One line about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLine {
    /// Id of the call; all its lines have the same.
    pub id: String,
    /// The tool and what it is used for, in one line of plain text.
    pub text: String,
    /// The state of the tool.
    pub state: ToolState,
}

/// The state of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolState {
    /// It has not ended yet.
    Running,
    /// It ended without an error.
    Done,
    /// It ended with an error.
    Failed,
    /// It was not allowed.
    Denied,
    /// It was interrupted: the answer was stopped or failed before the tool ended.
    Stopped,
}

/// A tool that waits for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolQuestion {
    /// Key of the question, for the answer.
    pub key: String,
    /// Name of the tool.
    pub tool: String,
    /// What it is to do, in plain text; may have several lines.
    pub text: String,
}
