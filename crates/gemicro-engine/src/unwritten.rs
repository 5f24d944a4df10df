//! What must not be written down is not run either: a plan that says what is executed holds no secret.

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use serde::Serialize;

use crate::Plan;

/// A plan whose tasks with secrets are rejected, where it is a batch; nothing where it can stay as it is.
///
/// # Errors
/// When a secret is in what a loop or a pipeline would execute.
pub(crate) fn without_secrets(plan: &Plan, redactor: &Redactor) -> Result<Option<Plan>, Failure> {
    match plan {
        Plan::Batch { plan, limits } => Ok(Some(Plan::Batch {
            plan: Box::new(plan.as_ref().clone().without_secrets(redactor)?),
            limits: *limits,
        })),
        Plan::Ooda { plan, .. } => {
            let hint = "the file of the loop holds a key: what is not written down is not run; let the command read it from a file";
            refuse(&plan.commands, redactor, hint).map(|()| None)
        }
        Plan::Pipeline { plan, .. } => {
            let hint = "the task or its workflow holds what looks like a key: what is not written down is not run; leave it out";
            refuse(plan, redactor, hint).map(|()| None)
        }
        Plan::Research { .. }
        | Plan::Ask { .. }
        | Plan::Prompt { .. }
        | Plan::TestProposal { .. }
        | Plan::Strategy { .. } => Ok(None),
    }
}

/// What is written down without its secrets would be run without them.
fn refuse(executed: &impl Serialize, redactor: &Redactor, why: &str) -> Result<(), Failure> {
    let text = serde_json::to_string(executed)
        .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    match redactor.redact(&text) == text {
        true => Ok(()),
        false => Err(Failure::new(ErrorKind::InvalidInput, why)),
    }
}
