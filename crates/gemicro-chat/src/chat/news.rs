//! What happens in a chat.

use gemicro_core::history::{Transport, Turn};
use gemicro_event::{Charge, Failure, StreamId, Usage};

use crate::ConversationRow;

/// Something that happened; to be shown in this order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// A conversation is open: the first news, and again after each change to another one.
    Opened(Chapter),
    /// What an earlier chat left is settled, and messages are taken. After [`Opened`](Self::Opened), whenever that is reported
    /// of a conversation that is there.
    Ready,
    /// From now on somebody else answers.
    Speaker(String),
    /// A message is on its way; its turn is in the log.
    Asked {
        /// The user's turn.
        turn: Turn,
        /// The run that answers it.
        run: StreamId,
        /// How what was said before gets there.
        transport: Transport,
    },
    /// The next piece of the answer, to be appended as it is.
    Text(String),
    /// What was shown of this answer so far does not count: another attempt begins.
    StartedOver,
    /// A tool is used, or has ended; the same id again replaces its line.
    Tool(ToolLine),
    /// A tool waits for permission.
    Question(ToolQuestion),
    /// The question is settled, by whomever.
    Settled {
        /// Which question.
        key: String,
    },
    /// The answer as it is in the log now. It replaces the pieces before.
    Answered {
        /// The assistant's turn.
        turn: Turn,
        /// What it used.
        usage: Option<Usage>,
        /// How long it took, in milliseconds.
        duration_ms: u64,
    },
    /// There is no answer. The message stays in the log.
    Failed {
        /// Why.
        failure: Failure,
        /// Even a shorter prompt took too long: a new conversation (`/clear`) may help.
        offers_clear: bool,
    },
    /// The answer was given up on order.
    Stopped,
    /// Turns from this number on were taken back.
    Undone {
        /// The first turn that no longer counts.
        from: u64,
    },
    /// Something worth knowing, in one line.
    Notice(String),
    /// Something that went wrong without harm, in one line.
    Warning(String),
    /// An order that cannot be carried out, and why.
    Refused(String),
    /// What is used now.
    Meter(Meter),
    /// The conversations that there are, newest first.
    Listed(Vec<ConversationRow>),
    /// The chat is over; nothing follows.
    Closed,
}

/// A conversation as it is when it is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Its id.
    pub id: StreamId,
    /// What people call it.
    pub name: String,
    /// Who answers, for people: `gemini · gemini-3.1-pro-preview`.
    pub speaker: String,
    /// Its turns so far, the newest last; only as many as are worth showing.
    pub turns: Vec<Turn>,
    /// How many turns there are in all.
    pub n_turns: u64,
}

/// What is used of what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meter {
    /// Tokens that the next prompt needs, rather too many than too few.
    pub prompt_tokens: u64,
    /// Tokens that a prompt may have.
    pub max_prompt_tokens: u64,
    /// Whether anything of the conversation is left out of it.
    pub is_compressed: bool,
    /// How often the conversation was compacted.
    pub n_compactions: u64,
    /// What all of it cost.
    pub spent: Charge,
    /// The tokens of it that came out of a provider's cache.
    pub cached_tokens: u64,
}

/// One line about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLine {
    /// Joins the lines of one call.
    pub id: String,
    /// The tool and what it is used for, in one line of plain text.
    pub text: String,
    /// How it stands.
    pub state: ToolState,
}

/// How a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolState {
    /// It works.
    Running,
    /// It ended well.
    Done,
    /// It ended badly.
    Failed,
    /// It was not allowed.
    Denied,
    /// It was cut off: the answer was stopped or failed before the tool ended.
    Stopped,
}

/// A tool that waits for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolQuestion {
    /// Names it in the answer.
    pub key: String,
    /// The tool.
    pub tool: String,
    /// What it is to do, in plain text; may have several lines.
    pub text: String,
}
