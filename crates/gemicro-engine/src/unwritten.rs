//! What must not be written down is not run either: a plan that says what is executed holds no secret.

use gemicro_core::models::check_model_name;
use gemicro_core::research::ResearchEngine;
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
            usable_model(&plan.llm.model, redactor)?;
            let hint = "the file of the loop holds a key: what is not written down is not run; let the command read it from a file";
            refuse(&plan.commands, redactor, hint).map(|()| None)
        }
        Plan::Pipeline { plan, .. } => {
            let hint = "the task or its workflow holds what looks like a key: what is not written down is not run; leave it out";
            refuse(plan, redactor, hint).map(|()| None)
        }
        Plan::Research { plan, .. } => match &plan.engine {
            ResearchEngine::Model { llm, .. } | ResearchEngine::Agent { llm } => {
                usable_model(&llm.model, redactor).map(|()| None)
            }
            ResearchEngine::Offline { .. } => Ok(None),
        },
        Plan::Ask { plan, .. } => {
            let tasks = std::iter::once(&plan.task).chain(&plan.fallback);
            let mut models = tasks.filter_map(|task| task.model.as_deref());
            models
                .try_for_each(|model| usable_model(model, redactor))
                .map(|()| None)
        }
        Plan::Prompt { plan, .. } => usable_model(&plan.llm.model, redactor).map(|()| None),
        Plan::TestProposal { plan, .. } => usable_model(&plan.llm.model, redactor).map(|()| None),
        Plan::Strategy { plan, .. } => match &plan.prose {
            Some(prose) => usable_model(&prose.llm.model, redactor).map(|()| None),
            None => Ok(None),
        },
    }
}

/// Refuses a key in the place of a model's name.
fn usable_model(model: &str, redactor: &Redactor) -> Result<(), Failure> {
    check_model_name(model)?;
    refuse(
        &model,
        redactor,
        "the model name is one of your keys; it was not used or stored. Give a model name",
    )
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
