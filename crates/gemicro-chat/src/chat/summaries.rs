//! Summaries that a cheap model writes in the background. No turn waits for them.

use std::sync::Arc;

use gemicro_core::budget::Limits;
use gemicro_core::history::{Summariser, SummaryRefusal, SummaryRequest};
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::PromptReaders;
use gemicro_engine::{Plan, PromptRequest, Request, RunService};
use gemicro_event::{Charge, Event, Failure, StreamId};
use tokio::task::JoinSet;

/// Time limit of a summary, in milliseconds.
const TIME_MS: u64 = 60_000;

/// Summaries that are being written.
#[derive(Default)]
pub(super) struct SummaryTasks {
    pub(super) under_way: JoinSet<SummaryOutcome>,
    /// Maximum cost of the summaries being written.
    pub(super) reserved: Charge,
}

/// A summary, or the reason why there is none.
pub(super) struct SummaryOutcome {
    pub(super) request: SummaryRequest,
    pub(super) answer: Result<String, SummaryRefusal>,
    pub(super) charge: Charge,
    /// The amount reserved for it.
    pub(super) reserved: Charge,
}

impl SummaryTasks {
    /// Waits for the next one; forever if none is being written.
    pub(super) async fn next_outcome(&mut self) -> Option<SummaryOutcome> {
        loop {
            match self.under_way.join_next().await {
                Some(Ok(written)) => return Some(written),
                // A summary whose task panicked is requested again later.
                Some(Err(_)) => {}
                None => std::future::pending::<()>().await,
            }
        }
    }
}

/// Writes summaries synchronously; each is its own run.
pub struct ModelSummariser {
    /// Executes the runs.
    pub desk: Arc<dyn RunService>,
    /// The model.
    pub llm: LlmConfig,
    /// The conversation that is summarised.
    pub conversation: StreamId,
}

impl Summariser for ModelSummariser {
    /// Blocks its thread; only call it on a multi-threaded runtime.
    fn summarise(&self, request: &SummaryRequest) -> Result<String, String> {
        let written = async {
            let plan = summary_plan(&self.llm, &self.conversation, request, Limits::default())?;
            self.desk.start(plan).await?.into_events().await
        };
        let events = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(written));
        answer_of(events).map_err(|refusal| refusal.to_string())
    }
}

pub(super) fn summary_plan(
    llm: &LlmConfig,
    conversation: &StreamId,
    request: &SummaryRequest,
    limits: Limits,
) -> Result<Plan, Failure> {
    let llm = LlmConfig {
        timeout_ms: TIME_MS,
        max_attempts: 1,
        // Allow more than requested: a text that is too long is cut at a sentence.
        max_output_tokens: request.max_tokens.saturating_mul(2).max(256),
        ..llm.clone()
    };
    Plan::of(&Request::Prompt(Box::new(PromptRequest {
        title: format!("Summary of turns {} to {}", request.first, request.last),
        label: "summarise".to_owned(),
        prompt: request.prompt.clone(),
        earlier: None,
        llm,
        limits,
        conversation: Some(conversation.clone()),
        recall: false,
    })))
}

pub(super) fn answer_of(events: Result<Vec<Event>, Failure>) -> Result<String, SummaryRefusal> {
    let failed = |reason: String| SummaryRefusal::Failed { reason };
    let events = events.map_err(|failure| failed(failure.message))?;
    let answered = events
        .iter()
        .rev()
        .find_map(|event| event.update.as_model_answered());
    match (answered, events.last()) {
        (Some(answered), _) => Ok(answered.text),
        (None, Some(last)) => Err(failed(last.update.message.clone())),
        (None, None) => Err(failed("its run is empty".to_owned())),
    }
}
