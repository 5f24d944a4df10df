//! Turns a request into the plan of a merge queue.

use std::path::Path;

use gemicro_event::{ErrorKind, Failure};
use gemicro_merge::MergePlan;

use crate::pipeline::with_checks;
use crate::plans::{MergeQueueRequest, folder};

/// The plan of a merge queue.
///
/// # Errors
/// `invalid_input` if the workflow has no checks, and `not_found` if there is no such folder.
pub fn merge_plan(request: &MergeQueueRequest) -> Result<MergePlan, Failure> {
    let directory = folder(&request.directory)?;
    let mut notices = Vec::new();
    let workflow = with_checks(request.workflow.clone(), Path::new(&directory), &mut notices)?;
    if workflow.checks.is_empty() {
        let message = "the merge queue needs checks, but the workflow has none: add them under `checks:` in \
                       .gemicro/workflow.yaml (`gemicro init` writes the file)";
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    Ok(MergePlan {
        directory,
        into: request.into.clone(),
        branches: request.branches.clone(),
        not_ready: request.not_ready.clone(),
        checks: workflow.checks,
        setup: workflow.setup,
        carry: workflow.carry,
        network: workflow.network,
        push: request.push,
        notices,
    })
}
