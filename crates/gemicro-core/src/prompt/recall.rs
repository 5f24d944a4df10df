//! The function `recall` for a model in a conversation: its declaration, and the step that answers its calls.
//!
//! The main type is [`RecallExecutor`]. It only reads; it quotes the turns that the journal has when the step begins.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_event::text::{first_bytes, plain};
use gemicro_event::{Json, StepKey, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Purpose;
use crate::execute::{Executor, StepCall};
use crate::flow::{Step, StepFailure, StepOutput};
use crate::history::{ConversationRecall, Quotation, RECALL_DESCRIPTION, RECALL_TOOL};
use crate::llm::{FunctionCall, FunctionResult, LlmFunction};
use crate::store::Store;

/// The step kind that answers calls of `recall`.
pub const RECALL_STEP: &str = "recall";

/// System instruction when the model may call the function.
pub(super) const RECALL_HINT: &str = "Earlier turns that are not shown can be searched and read: call `recall` before you say that something is unknown.";

/// Maximum number of calls of one answer that are carried out.
const MAX_CALLS: usize = 3;

/// Maximum size of a result in bytes.
const MAX_RESULT: usize = 12_200;

/// Maximum tokens that the results of one answer's calls usually add to the next request.
pub(super) const RESULTS_BOUND: u64 = (MAX_CALLS * MAX_RESULT) as u64;

/// A call, and its answer from the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecallAnswer {
    /// The query, for people.
    pub query: String,
    /// The turns that are quoted.
    pub turns: Vec<u64>,
    /// The result for the model.
    pub result: FunctionResult,
}

/// Input of the step.
#[derive(Serialize, Deserialize)]
struct RecallInput {
    conversation: StreamId,
    calls: Vec<FunctionCall>,
}

/// The declaration of the function.
pub(super) fn recall_function() -> LlmFunction {
    LlmFunction {
        name: RECALL_TOOL.to_owned(),
        description: RECALL_DESCRIPTION.to_owned(),
        parameters: Json::from(ConversationRecall::input_schema()),
    }
}

/// The step that answers these calls.
pub(super) fn recall_step(key: StepKey, conversation: &StreamId, calls: &[FunctionCall]) -> Step {
    let input = RecallInput {
        conversation: conversation.clone(),
        calls: calls.to_vec(),
    };
    Step {
        purpose: Purpose::Last,
        ..Step::free(key, RECALL_STEP, &input)
    }
}

/// Answers calls of `recall` from the journal of a conversation.
pub struct RecallExecutor {
    store: Arc<dyn Store>,
}

impl RecallExecutor {
    /// Reads conversations of this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }
}

impl Executor for RecallExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let store = Arc::clone(&self.store);
        Box::pin(async move {
            let input: RecallInput = call.step.read_input()?;
            let page = store.read(&input.conversation, 0, usize::MAX).await;
            let page = page.map_err(|error| StepFailure::free(error.into()))?;
            let memory = ConversationRecall::of_events(&page.events);
            let calls = input.calls.iter().enumerate();
            let answers: Vec<RecallAnswer> = calls.map(|(idx, call)| answer(&memory, idx, call)).collect();
            StepOutput::free(&answers)
        })
    }
}

/// Answers one call. If it fails, the result says why, so that the model can correct its next call.
fn answer(memory: &ConversationRecall, idx: usize, call: &FunctionCall) -> RecallAnswer {
    let quoted = if call.name != RECALL_TOOL {
        let name = plain(&call.name, 80);
        Err(format!("there is no function `{name}`: only `{RECALL_TOOL}`"))
    } else if idx >= MAX_CALLS {
        Err(format!("at most {MAX_CALLS} calls at once: call again"))
    } else {
        memory.quote(&call.arguments)
    };
    let is_error = quoted.is_err();
    let quotation = quoted.unwrap_or_else(|why| Quotation {
        query: String::new(),
        text: why,
        turns: Vec::new(),
    });
    RecallAnswer {
        query: quotation.query,
        turns: quotation.turns,
        result: FunctionResult {
            call: call.id.clone(),
            name: call.name.clone(),
            text: first_bytes(&quotation.text, MAX_RESULT).to_owned(),
            is_error,
        },
    }
}
