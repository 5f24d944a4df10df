//! Summaries that a cheap model writes in the background. Nothing waits for them.

use std::sync::Arc;

use gemicro_core::budget::Limits;
use gemicro_core::history::{Summariser, SummaryRefusal, SummaryRequest};
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::PromptReaders;
use gemicro_event::{Charge, Event, Failure, StreamId};
use tokio::task::JoinSet;

use super::chat_loop::{Chat, Next};
use super::news::News;
use super::turn::is_spent;
use crate::{Desk, Plan, PromptRequest, Request};

/// How long a summary may take.
const TIME_MS: u64 = 60_000;

/// Summaries that are being written.
#[derive(Default)]
pub(super) struct Summaries {
    under_way: JoinSet<Written>,
    /// What those that are being written may cost.
    reserved: Charge,
}

/// A summary, or why there is none.
pub(super) struct Written {
    request: SummaryRequest,
    answer: Result<String, SummaryRefusal>,
    charge: Charge,
    /// What was held for it.
    reserved: Charge,
}

impl Summaries {
    /// Waits for the next one; for ever where none is under way.
    pub(super) async fn written(&mut self) -> Option<Written> {
        loop {
            match self.under_way.join_next().await {
                Some(Ok(written)) => return Some(written),
                // One that panicked is asked for again some time.
                Some(Err(_)) => {}
                None => std::future::pending::<()>().await,
            }
        }
    }
}

impl Chat {
    /// Has the summaries written that the last compaction lacked.
    pub(super) async fn want_summaries(&mut self) {
        let Some(llm) = self.config.summariser.clone() else {
            return;
        };
        for request in self.book.history.summary_requests() {
            if self.book.held.open_summaries.contains_key(&request.hash) {
                continue;
            }
            let conversation = self.book.holding.id().clone();
            let plan = summary_plan(&llm, &conversation, &request, Limits::default());
            let reserved = match &plan {
                Ok(Plan::Prompt { plan, .. }) => plan.worst_case(),
                Ok(_) | Err(_) => Charge::ZERO,
            };
            // A summary that the budget may not allow is not asked for.
            if is_spent(&self.config.limits, self.spoken_for().plus(reserved)) {
                continue;
            }
            let run = StreamId::random();
            if let Err(error) = self.book.ask_summary(&request, &run).await {
                return self.tell(News::Warning(error.to_string())).await;
            }
            self.summaries.reserved = self.summaries.reserved.plus(reserved);
            let desk = self.config.desk.clone();
            self.summaries.under_way.spawn(async move {
                let events = async {
                    let watching = desk.start_as(run.clone(), plan?).await?;
                    watching.into_events().await
                };
                let answer = answer_of(events.await);
                let charge = desk.find(run.as_str()).await.map(|row| row.spent);
                Written {
                    request,
                    answer,
                    charge: charge.unwrap_or(Charge::ZERO),
                    reserved,
                }
            });
        }
    }

    /// What was used, and what summaries that are being written may use.
    pub(super) fn spoken_for(&self) -> Charge {
        self.book.held.spent.plus(self.summaries.reserved)
    }

    /// Summaries that an earlier chat asked for: what was paid for is taken.
    pub(super) async fn take_up_summaries(&mut self) {
        let open: Vec<_> = self.book.held.open_summaries.values().cloned().collect();
        for asked in open {
            let request = SummaryRequest {
                hash: asked.hash,
                first: asked.first,
                last: asked.last,
                prompt: String::new(),
                max_tokens: asked.max_tokens,
            };
            if !self.config.survives {
                let _ = self
                    .config
                    .desk
                    .cancel(&asked.run, "the chat that asked is gone")
                    .await;
            }
            let desk = self.config.desk.clone();
            self.summaries.under_way.spawn(async move {
                let events = async { desk.watch(&asked.run).await?.into_events().await };
                let answer = answer_of(events.await);
                let charge = desk.find(asked.run.as_str()).await.map(|row| row.spent);
                Written {
                    request,
                    answer,
                    charge: charge.unwrap_or(Charge::ZERO),
                    reserved: Charge::ZERO,
                }
            });
        }
    }

    /// Takes a summary; it counts from the next compaction on.
    pub(super) async fn take_summary(&mut self, written: Option<Written>) -> Next {
        let Some(written) = written else {
            return Next::GoOn;
        };
        let (request, charge) = (&written.request, written.charge);
        self.summaries.reserved = self.summaries.reserved.minus(written.reserved);
        match self.book.take_summary(request, written.answer, charge).await {
            Ok(Ok(())) => {}
            Ok(Err(refusal)) => {
                let told = format!(
                    "turns {} to {} stay cut short: {refusal}",
                    request.first, request.last
                );
                self.tell(News::Warning(told)).await;
            }
            Err(error) => return self.lost(error).await,
        }
        self.meter().await;
        Next::GoOn
    }
}

/// Writes summaries while somebody waits for them; each is a run of its own.
pub struct ModelSummariser {
    /// Who carries the runs out.
    pub desk: Arc<dyn Desk>,
    /// The model.
    pub llm: LlmConfig,
    /// The conversation that they are about.
    pub conversation: StreamId,
}

impl Summariser for ModelSummariser {
    /// Blocks its thread; to be called where other threads carry on.
    fn summarise(&self, request: &SummaryRequest) -> Result<String, String> {
        let written = async {
            let plan = summary_plan(&self.llm, &self.conversation, request, Limits::default())?;
            self.desk.start(plan).await?.into_events().await
        };
        let events = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(written));
        answer_of(events).map_err(|refusal| refusal.to_string())
    }
}

fn summary_plan(
    llm: &LlmConfig,
    conversation: &StreamId,
    request: &SummaryRequest,
    limits: Limits,
) -> Result<Plan, Failure> {
    let llm = LlmConfig {
        timeout_ms: TIME_MS,
        max_attempts: 1,
        // A little more than it should need: what is too long is cut at a sentence.
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
    })))
}

fn answer_of(events: Result<Vec<Event>, Failure>) -> Result<String, SummaryRefusal> {
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
