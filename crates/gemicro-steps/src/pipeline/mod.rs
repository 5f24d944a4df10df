//! The steps of a pipeline on this machine: where its flow, the user's repository, the sandbox and the forge meet.
//!
//! What is committed is marked before it is taken over, so a step that was killed in between is
//! recognised, not repeated. `write_documents` puts gemicro's own documents there. `plan` resolves a request, `retry` goes on
//! from an earlier run, `outlook` says what a task would begin with;
//! `detect` finds the checks of a project that names none.

mod check;
mod claims;
mod deliver;
mod detect;
mod import;
mod init;
mod merge;
mod merge_claim;
mod outlook;
mod plan;
mod record;
mod retry;
mod write_documents;

pub(crate) use check::check;
pub(crate) use deliver::deliver;
pub use detect::found_checks;
pub(crate) use import::import;
pub(crate) use init::init;
pub(crate) use merge::merge;
pub use outlook::{Outlook, outlook};
pub use plan::pipeline_plan;
pub(crate) use record::record;
pub use retry::{later_run, retry_plan};
