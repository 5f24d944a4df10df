//! Conversations that do not forget: an append-only log, and prompts that fit.
//!
//! [`HistoryManager`] is the public interface: add messages, get prompts. Behind it, a [`ConversationLog`] is never
//! changed; a [`PromptPlan`] says what a prompt shows of it; [`render()`] writes that prompt in frames that no content
//! can forge. When a prompt grows too long, compaction makes a new plan, and the [`FactLedger`] finds the exact strings
//! that would be lost and writes back as many as fit. Old turns are selected sentence by sentence, by structure and not
//! by phrases: the only scoring function is in `statements/score.rs`. All of this is pure: models that summarise and
//! tokenizers that count are ports.
//!
//! Files, in the order of the flow: `turn`, `log`, `transcript` (the data and its file format), `events` and
//! `chat_events` (its form in a journal); `facts` (strings that must not be lost); `history_manager` (the interface),
//! `epoch` (its current state), `arrival` (a new turn inside an epoch); `compact` and `fill` (a new epoch), `views`
//! (shortened turns), `segments` and `summary` (replacements for old turns), `statements` (the statements of each turn,
//! and their score), `recall` (finds old statements for a message), `conversation_recall` (the tool `recall`); `plan`
//! (the result as data), `render` and `frame` (its text), `report` and `statement_report`; `invented` (replies that
//! invent turns); `compressor` (other ways to compress); `config`, `error`, `warning`, `material`. Tokens are counted
//! in `tokens`.

mod arrival;
mod chat_events;
mod compact;
mod compressor;
mod config;
mod conversation_recall;
mod epoch;
mod error;
mod events;
mod facts;
mod fill;
mod frame;
mod history_manager;
mod invented;
mod log;
mod material;
mod plan;
mod recall;
mod render;
mod report;
mod segments;
mod statement_report;
mod statements;
mod summary;
mod transcript;
mod turn;
mod views;
mod warning;

pub use chat_events::{
    ChatReaders, ConversationCompacted, ReplyCut, Speaker, SummaryAsked, SummaryMade, Transport,
    TransportSwitched, TurnAnswered, TurnAsked, TurnFailed, TurnsWithdrawn,
};
pub use compressor::{CompressedPrompt, Compressible, ContextCompressor, compressor_named};
pub use config::{HistoryConfig, Level};
pub use conversation_recall::{ConversationRecall, Quotation, RECALL_DESCRIPTION, RECALL_TOOL};
pub use error::HistoryError;
pub use events::{
    CONVERSATION_VERSION, ConversationReaders, ConversationRenamed, ConversationStarted, TurnAdded, register,
};
pub use facts::{FactClass, FactKind, FactLedger};
pub use frame::{Frame, FrameError, Tag};
pub use history_manager::{HistoryManager, PromptResult};
pub use invented::{CutReply, InventedSign, InventedTurn, cut_invented};
pub use log::ConversationLog;
use log::content_hash;
pub use material::Material;
pub use plan::{PinnedFact, PromptPlan, RecalledStatements, Segment, SegmentOrigin, ShownStatement, View};
pub use render::{Prompt, ReadPrompt, read_prompt, render};
pub use report::{HistoryReport, LostFact, Retention as FactRetention, SegmentReport};
pub use statement_report::{LeftOut, StatementCounts, StatementReport, TurnRange};
pub use statements::StatementIndex;
pub use summary::{Summariser, SummaryCache, SummaryRefusal, SummaryRequest};
pub use transcript::{TranscriptError, read_transcript, write_transcript};
pub use turn::{AnsweredCall, Author, ToolCall, Trust, Turn, TurnKind};
pub use warning::HistoryWarning;
