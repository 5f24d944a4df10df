//! The wiring of gemicro: a request becomes a plan, a plan becomes a run.
//!
//! [`Engine`] opens the store and registers who runs which step; [`Request`] is what an edge hands in,
//! [`Plan`] is what will be done, printable before anything happens, and [`Run`] is one execution under way.
//! No phase logic, no parsing, no rendering lives here.

mod agents;
mod chat;
mod conversations;
mod desk;
mod engine;
mod flows;
mod here;
mod library;
mod plan;
mod redacting;
mod registry;
mod request;
mod resident;
mod run;
mod stored_page;
mod upkeep;

pub use agents::{
    AgentAccess, AgentCommons, AgentExecutor, AgentSetup, KnownSession, Login, PolicyReader, WarmStatus,
    find_session,
};
pub use chat::{Chapter, Meter, News, Order, Question, ToolLine, ToolState, Transport};
pub use conversations::{
    Conversation, ConversationError, ConversationRow, Conversations, ImportedConversation, MAX_NAME_CHARS,
};
pub use desk::{Desk, Watched, Watching};
pub use engine::{Engine, EngineConfig};
pub use gemicro_source::{AllowedHost, BadAllowedHost, FetchRules, is_url};
pub use here::Here;
pub use library::FolderLibrary;
pub use plan::Plan;
pub use registry::event_registry;
pub use request::{AskRequest, Backend, Request, ResearchRequest};
pub use resident::{
    BinaryId, BuildConfig, CarriedRun, Resident, StartWorker, Worker, WorkerConfig, WorkerStatus, is_free,
};
pub use run::{CancelOutcome, Run};
pub use upkeep::sweep_indexes;
