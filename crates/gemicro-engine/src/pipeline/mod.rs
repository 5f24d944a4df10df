//! The steps of a pipeline on this machine: where its flow, the user's repository, the sandbox and the forge meet.
//!
//! `executor` runs them. Every step opens the branch at the commit that it must be at (`branch_at`), and most of them
//! make the private checkout anew first (`checkout`): nothing that an agent left beside its commits reaches another
//! step but `caches`, and those of agents reach no check. What is committed is marked before it is taken over, so a
//! step that was killed in between is recognised, not repeated. `writing` puts gemicro's own documents there. `plan`
//! resolves a request; `outlook` says what it would begin with; `detect` finds the checks of a project that names none.

mod branch_at;
mod caches;
mod check;
mod checkout;
mod claims;
mod deliver;
mod detect;
mod executor;
mod forges;
mod import;
mod init;
mod merge;
mod merge_claim;
mod outlook;
mod plan;
mod record;
mod retry;
mod workflow_reader;
mod writing;

pub(crate) use branch_at::{Tools, open_for_agent};
pub use detect::found_checks;
pub(crate) use executor::PipelineSteps;
pub use forges::Forges;
pub use gemicro_pipeline::{flow, forge, payload, steps, workflow};
pub use outlook::{Outlook, outlook};
pub use retry::{later_run, retry_from};
pub use workflow_reader::WorkflowReader;
