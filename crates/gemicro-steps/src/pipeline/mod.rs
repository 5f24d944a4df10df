//! The steps of a pipeline on this machine: they connect its flow with the user's repository, the sandbox and the
//! forge.
//!
//! A commit is marked before it is imported, so a step that was killed in between is recognised and not repeated.
//! `write_documents` writes gemicro's own documents. `plan` resolves a request, `retry` continues an earlier run,
//! `outlook` previews how a task would begin, and `detect` finds the checks of a project whose workflow has none.

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
mod project_memory;
mod record;
mod retry;
mod write_documents;

pub(crate) use check::{check, gather};
pub(crate) use deliver::deliver;
pub use detect::found_checks;
pub(crate) use import::import;
pub(crate) use init::init;
pub(crate) use merge::merge;
pub use outlook::{Outlook, outlook};
pub use plan::pipeline_plan;
pub(crate) use plan::with_checks;
pub(crate) use record::record;
pub use retry::{later_run, retry_plan};
