//! The wiring of gemicro: a request becomes a plan, a plan becomes a run.
//!
//! [`Engine`] runs plans over one store; `wiring` registers who runs which step; [`Request`] is what an edge hands in,
//! [`Plan`] is what will be done, printable before anything happens, and [`Run`] is one execution under way.
//! No phase logic, no parsing, no rendering lives here.

mod answering;
mod batches;
mod capabilities;
mod carry;
mod day;
mod desk;
mod dispatch;
mod engine;
mod engine_config;
mod flows;
mod here;
pub mod ooda;
mod pause;
pub mod pipeline;
mod plan;
mod questions;
mod resident;
mod run;
mod run_state;
mod shared_resources;
mod sharing;
mod start_parameters;
mod telling;
mod troubles;
mod upkeep;
mod wiring;

pub use batches::{
    BatchAnswer, BatchError, BatchRequest, BatchRow, BatchSettings, BatchStatus, Batches, Counts, ItemAnswer,
    ItemQuestion, ItemState, Items, MAX_BATCH_BYTES, OnFailure, Submitted, TASK_TYPES, Task, TaskType,
    answer_of_board, counts_of_board, read_batch, task_type,
};
pub use desk::{Desk, Watched, Watching};
pub use dispatch::{NextAttempt, ReportReaders, StepReported, StepWord};
pub use engine::Engine;
pub use engine_config::EngineConfig;
pub use flows::{FLOWS, event_registry, flow_named};
pub use gemicro_agents::{
    AgentAccess, AgentExecutor, AgentSetup, KnownSession, Login, PolicyReader, WarmStatus, find_session,
};
pub use gemicro_batch::workshop::{TOOLCHAIN_VARIABLES, hold_new};
pub use gemicro_source::{AllowedHost, BadAllowedHost, FetchRules, FolderLibrary, is_url};
pub use gemicro_steps::plans::{
    AskRequest, Backend, ConversationTurn, OodaRequest, PipelineRequest, PromptRequest, Request,
    ResearchRequest,
};
pub use gemicro_store::{Board, BoardPage, DurableStore, RunFilter, Tally};
pub use here::Here;
pub use pause::{PauseOutcome, pause};
pub use plan::Plan;
pub use questions::{open_questions, question_to_answer};
pub use resident::{
    BinaryId, BuildConfig, CarriedRun, Resident, StartWorker, StoreReads, Worker, WorkerConfig, WorkerStatus,
    is_free,
};
pub use run::{CancelOutcome, Run};
pub use run_state::{INPUT_REQUIRED, RunState};
pub use shared_resources::SharedResources;
pub use start_parameters::{
    BUDGET, PipelineKind, PipelineParameters, ResearchKind, ResearchParameters, TASK_BRANCH,
};
pub use telling::tell;
pub use upkeep::{rebuild_boards, sweep_indexes, sweep_leftovers};
