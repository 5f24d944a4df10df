//! The inputs and results of a pipeline's steps. Plain data; the engine carries the steps out.

mod agent;
mod check;
mod checkout_spec;
mod deliver;
mod import;
mod init;
mod merge;
mod record;
mod reserved_paths;

pub use agent::{AGENT_WORK_STEP, AgentWork, Handover, HandoverContent};
pub use check::{CHECK_STEP, CheckInput, CheckRecord, Evidence};
pub use checkout_spec::CheckoutSpec;
pub use deliver::{DELIVER_STEP, DeliverInput, DeliverResult};
pub use import::{AgentClaim, IMPORT_STEP, ImportInput, ImportStepResult, PhaseDocuments};
pub use init::{INIT_STEP, InitInput, InitResult, IntendedBranch};
pub use merge::{MERGE_STEP, MergeInput, MergeOutcome, MergeResult};
pub use record::{
    DocumentRecord, FeedbackList, ProposedLessons, ProposedSkill, RECORD_STEP, RecordInput, RecordResult,
};
pub use reserved_paths::{HUMAN_REVIEW, reserved_paths};
