//! Wires gemicro together: turns a plan into a run.
//!
//! [`Engine`] runs plans over one store; `wiring` registers the executor of each step kind. [`RunService`] starts and
//! watches runs for the edges: [`LocalRunService`] runs them in this process, [`Resident`] calls the background worker.
//! `dispatch` distributes steps to the workers of a shared store. There is no phase logic, parsing or rendering here.

mod batches;
mod board;
mod can_carry;
mod child_runs;
mod day;
mod dispatch;
mod engine;
mod engine_config;
mod flows;
mod inbox;
mod local_run_service;
pub mod merge_queue;
mod notifications;
pub mod ooda;
mod pause;
pub mod pipeline;
mod questions;
mod replay;
mod research_report;
mod resident;
mod run;
mod run_service;
mod run_state;
mod send_and_wait;
mod shared_resources;
mod shared_store;
mod store_reads;
mod troubles;
mod validate_command;
mod wiring;

pub use batches::{BatchRow, Batches};
pub use board::{answer_of_board, counts_of_board, rebuild_boards};
pub use dispatch::{ReportReaders, StepReported, StepWord};
pub use engine::Engine;
pub use engine_config::EngineConfig;
pub use flows::{FLOWS, event_registry, flow_named};
pub use gemicro_agents::{
    AgentAccess, AgentExecutor, AgentSetup, KnownSession, Login, PolicyReader, StoredTask, WarmStatus,
    default_max_agents, find_session, prune_task, stored_tasks,
};
pub use gemicro_batch::contract::{
    BatchAnswer, BatchError, BatchStatus, Counts, ItemAnswer, ItemQuestion, ItemState, Items,
    MAX_BATCH_BYTES, OnFailure, SubmittedBatch, Task, read_batch,
};
pub use gemicro_batch::types::{BatchSettings, TASK_TYPES, TaskType, task_type};
pub use gemicro_batch::workshop::{hold_new, is_toolchain_variable};
pub use gemicro_notify::{BadWebhook, Notifier, NotifySettings, QueueFile, TargetOutcome, Webhook};
pub use gemicro_source::{
    AllowedHost, BadAllowedHost, FetchRules, FolderLibrary, ReaderProgram, is_url, read_contained,
};
pub use gemicro_steps::plans::{
    AskRequest, BUDGET, Backend, BatchRequest, ConversationTurn, MergeQueueRequest, OodaRequest,
    PipelineKind, PipelineRequest, PromptRequest, Request, ResearchKind, ResearchRequest,
    StartPipelineParameters, StartResearchParameters, TASK_BRANCH,
};
pub use gemicro_steps::{Plan, sweep_indexes, sweep_leftovers};
pub use gemicro_store::{BoardPage, BoardTally, DurableStore, RunFilter, StoredBoard};
pub use inbox::{InboxEntry, inbox};
pub use local_run_service::LocalRunService;
pub use notifications::NotifySetup;
pub use pause::{PauseOutcome, pause};
pub use questions::{asked_in, open_questions, question_to_answer};
pub use research_report::research_report;
pub use resident::{
    BinaryId, BuildConfig, CarriedRun, Resident, ResidentWorker, StartWorker, WorkerConfig, WorkerStatus,
    is_free,
};
pub use run::{CancelOutcome, DrivenRun};
pub use run_service::{RunService, RunSighting, RunSightings};
pub use run_state::{INPUT_REQUIRED, RunSnapshot};
pub use send_and_wait::tell;
pub use shared_resources::SharedResources;
pub use store_reads::StoreReads;
