//! The steps of a pipeline beside the agents: what each is told, and what it gives back. Plain data; the engine carries
//! them out.

mod agent;
mod check;
mod deliver;
mod import;
mod init;
mod merge;
mod place;
mod record;

pub use agent::{AGENT_WORK_STEP, AgentWork, Handover, HandoverContent};
pub use check::{CHECK_STEP, CheckInput, Checked, Evidence};
pub use deliver::{DELIVER_STEP, DeliverInput, Delivered};
pub use import::{Claim, IMPORT_STEP, ImportInput, PhaseDocuments, Taken};
pub use init::{INIT_STEP, InitInput, MainBranch, Prepared};
pub use merge::{MERGE_STEP, MergeInput, MergeOutcome, Merged};
pub use place::Place;
pub use record::{RECORD_STEP, Record, RecordInput, Recorded};
