//! From a request to the plan of a loop.

use gemicro_batch::ooda::{OodaPlan, Order};
use gemicro_batch::proposal::TestPrompts;
use gemicro_core::flow::check_price;
use gemicro_event::{ErrorKind, Failure};

use crate::plans::{OodaRequest, current, folder, task_branch};

/// A test with its patch is longer than an answer in words.
const LEAST_OUTPUT_TOKENS: u64 = 8_192;

/// The plan of a loop.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub fn ooda_plan(request: &OodaRequest) -> Result<OodaPlan, Failure> {
    let wrong = |message: String| Err(Failure::new(ErrorKind::InvalidInput, message));
    if !(0.0..=100.0).contains(&request.target) {
        return wrong(format!(
            "the target is a part of all lines in percent, not {}",
            request.target
        ));
    }
    let Order { command: test, .. } = &request.commands.test;
    let Order {
        command: coverage, ..
    } = &request.commands.coverage;
    for (name, command) in [("test", test), ("coverage", coverage)] {
        if command.trim().is_empty() || command.contains('\0') {
            return wrong(format!("the {name} command is empty"));
        }
    }
    if request.max_rounds == 0 || request.max_attempts == 0 || request.patience == 0 {
        return wrong("rounds, attempts and patience are at least 1".to_owned());
    }
    let mut notices = Vec::new();
    let mut llm = current(&request.llm, &mut notices)?;
    llm.max_output_tokens = llm.max_output_tokens.max(LEAST_OUTPUT_TOKENS);
    check_price(&llm.model, &request.limits)?;
    Ok(OodaPlan {
        directory: folder(&request.directory)?,
        branch: task_branch(&request.branch)?,
        commands: request.commands.clone(),
        target: request.target,
        decider: request.decider,
        max_rounds: request.max_rounds,
        max_attempts: request.max_attempts,
        patience: request.patience,
        mutants: request.mutants,
        context: request.context.clone(),
        llm,
        prompts: TestPrompts::default(),
        notices,
    })
}
