//! Turns a request into the plan of a loop.

use gemicro_batch::ooda::OodaPlan;
use gemicro_core::flow::check_price;
use gemicro_event::{ErrorKind, Failure};

use crate::plans::{OodaRequest, current, folder, task_branch};

/// Minimum output limit: a test with its patch is longer than a prose answer.
const LEAST_OUTPUT_TOKENS: u64 = 8_192;

/// The plan of a loop: the request, resolved and checked.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub fn ooda_plan(request: &OodaRequest) -> Result<OodaPlan, Failure> {
    let wrong = |message: String| Err(Failure::new(ErrorKind::InvalidInput, message));
    let mut plan = request.plan.clone();
    if !(0.0..=100.0).contains(&plan.target) {
        return wrong(format!(
            "the target must be a percentage from 0 to 100, not {}",
            plan.target
        ));
    }
    let commands = &plan.commands;
    for (name, order) in [("test", &commands.test), ("coverage", &commands.coverage)] {
        if order.command.trim().is_empty() || order.command.contains('\0') {
            return wrong(format!("the {name} command is empty"));
        }
    }
    if plan.max_rounds == 0 || plan.max_attempts == 0 || plan.patience == 0 {
        return wrong("rounds, attempts and patience must be at least 1".to_owned());
    }
    plan.llm = current(&plan.llm, &mut plan.notices)?;
    plan.llm.max_output_tokens = plan.llm.max_output_tokens.max(LEAST_OUTPUT_TOKENS);
    check_price(&plan.llm.model, &request.limits)?;
    plan.directory = folder(plan.directory.as_ref())?;
    plan.branch = task_branch(&plan.branch)?;
    Ok(plan)
}
