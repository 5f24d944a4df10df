//! Requests summaries of old turns, and accepts them.

use gemicro_core::budget::Limits;
use gemicro_core::history::SummaryRequest;
use gemicro_core::prompt::ModelTask;
use gemicro_event::{Charge, StreamId};

use super::chat_loop::{Chat, Next};
use super::news::News;
use super::summaries::{SummaryOutcome, answer_of, summary_plan};
use super::turn::is_spent;

impl Chat {
    /// Requests the summaries that the last compaction lacked.
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
            let task = plan.as_ref().ok().and_then(|plan| plan.read().ok());
            let reserved = task.map_or(Charge::ZERO, |task: ModelTask| task.worst_case());
            // Do not request a summary that the budget may not allow.
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
                SummaryOutcome {
                    request,
                    answer,
                    charge: charge.unwrap_or(Charge::ZERO),
                    reserved,
                }
            });
        }
    }

    /// The amount spent, and the maximum cost of summaries being written.
    pub(super) fn spoken_for(&self) -> Charge {
        self.book.held.spent.plus(self.summaries.reserved)
    }

    /// Takes up summaries that an earlier chat requested, because they are already paid for.
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
                    .cancel(&asked.run, "the chat that asked has ended")
                    .await;
            }
            let desk = self.config.desk.clone();
            self.summaries.under_way.spawn(async move {
                let events = async { desk.watch(&asked.run).await?.into_events().await };
                let answer = answer_of(events.await);
                let charge = desk.find(asked.run.as_str()).await.map(|row| row.spent);
                SummaryOutcome {
                    request,
                    answer,
                    charge: charge.unwrap_or(Charge::ZERO),
                    reserved: Charge::ZERO,
                }
            });
        }
    }

    /// Accepts a summary; it is used from the next compaction on.
    pub(super) async fn take_summary(&mut self, written: Option<SummaryOutcome>) -> Next {
        let Some(written) = written else {
            return Next::GoOn;
        };
        let (request, charge) = (&written.request, written.charge);
        self.summaries.reserved = self.summaries.reserved.minus(written.reserved);
        match self.book.take_summary(request, written.answer, charge).await {
            Ok(Ok(())) => {}
            Ok(Err(refusal)) => {
                let text = format!(
                    "turns {} to {} stay cut short: {refusal}",
                    request.first, request.last
                );
                self.tell(News::Warning(text)).await;
            }
            Err(error) => return self.stop_writing(error).await,
        }
        self.meter().await;
        Next::GoOn
    }
}
