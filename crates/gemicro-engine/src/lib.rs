//! The wiring of gemicro: a request becomes a plan, a plan becomes a run.
//!
//! [`Engine`] opens the store and registers who runs which step; [`Request`] is what an edge hands in,
//! [`Plan`] is what will be done, printable before anything happens, and [`Run`] is one execution under way.
//! No phase logic, no parsing, no rendering lives here.

mod agents;
mod answering;
mod batches;
mod carry;
mod chat;
mod conversations;
mod day;
mod desk;
mod dispatch;
mod engine;
mod engine_config;
mod flows;
mod here;
mod library;
pub mod ooda;
mod open_indexes;
mod pause;
pub mod pipeline;
mod plan;
mod plan_limits;
mod questions;
mod redacting;
mod registry;
mod request;
mod resident;
mod run;
mod sharing;
mod started;
mod step_parts;
mod stored_page;
mod telling;
mod test_plans;
mod troubles;
mod unwritten;
mod upkeep;
mod written_plan;

pub use agents::{
    AgentAccess, AgentCommons, AgentExecutor, AgentSetup, KnownSession, Login, PolicyReader, WarmStatus,
    find_session,
};
pub use batches::{
    BatchAnswer, BatchError, BatchRequest, BatchRow, BatchSettings, BatchStatus, Batches, Counts, ItemAnswer,
    ItemQuestion, ItemState, Items, MAX_BATCH_BYTES, OnFailure, Submitted, TASK_TYPES, Task, TaskType,
    answer_of_board, counts_of_board, read_batch, task_type,
};
pub use chat::{
    AgentWays, Chapter, ChatConfig, ChatLine, FindSpeaker, Meter, ModelSummariser, News, Opening, Order,
    Question, ToolLine, ToolState, open_chat,
};
pub use conversations::{
    Conversation, ConversationError, ConversationRow, Conversations, Held, ImportedConversation,
    MAX_NAME_CHARS, Native,
};
pub use desk::{Desk, Watched, Watching};
pub use dispatch::{NextAttempt, ReportReaders, StepReported, StepWord};
pub use engine::Engine;
pub use engine_config::EngineConfig;
pub use gemicro_batch::workshop::{TOOLCHAIN_VARIABLES, hold_new};
pub use gemicro_core::history::{Speaker, Transport};
pub use gemicro_source::{AllowedHost, BadAllowedHost, FetchRules, is_url};
pub use gemicro_store::{Board, BoardPage, RunFilter, Tally};
pub use here::Here;
pub use library::FolderLibrary;
pub use pause::{PauseOutcome, pause};
pub use plan::Plan;
pub use questions::open_question;
pub use registry::event_registry;
pub use request::{
    AskRequest, Backend, ConversationTurn, OodaRequest, PipelineRequest, PromptRequest, Request,
    ResearchRequest,
};
pub use resident::{
    BinaryId, BuildConfig, CarriedRun, Resident, StartWorker, StoreReads, Worker, WorkerConfig, WorkerStatus,
    is_free,
};
pub use run::{CancelOutcome, Run};
pub use telling::tell;
pub use upkeep::{rebuild_boards, sweep_indexes, sweep_leftovers};
