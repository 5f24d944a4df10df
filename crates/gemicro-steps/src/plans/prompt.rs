//! Turns a request into the plan of a prompt to a model.

use gemicro_core::flow::check_price;
use gemicro_core::prompt::ModelTask;
use gemicro_event::{ErrorKind, Failure};

use super::checks::current;
use super::request::PromptRequest;

/// The plan of a prompt to a model.
///
/// # Errors
/// `invalid_input`, with what to change.
pub fn prompt_plan(request: &PromptRequest) -> Result<ModelTask, Failure> {
    if request.prompt.trim().is_empty() {
        return Err(Failure::new(ErrorKind::InvalidInput, "the prompt is empty"));
    }
    let mut notices = Vec::new();
    let llm = current(&request.llm, &mut notices)?;
    check_price(&llm.model, &request.limits)?;
    Ok(ModelTask {
        title: request.title.clone(),
        llm,
        label: request.label.clone(),
        prompt: request.prompt.clone(),
        earlier: request.earlier.clone(),
        conversation: request.conversation.clone(),
        recall: request.recall,
        notices,
    })
}
