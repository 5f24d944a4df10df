//! Submits, polls, cancels and retries batches through any run service. A batch is a run of the flow `batch`, and its
//! `response_id` is the run's id.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_batch::contract::{BatchAnswer, BatchStatus};
use gemicro_batch::flow::{BatchFlow, CANCEL_ITEMS, OpenSteps, RETRY_ITEMS, board, retry_plan};
use gemicro_core::command::AgentCommand;
use gemicro_core::flow::Flow;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Failure, RunStatus, StreamId, Timestamp};
use gemicro_steps::Plan;
use gemicro_steps::plans::BatchRequest;
use gemicro_store::{BoardPage, RunFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::board::answer_of_board;
use crate::run_service::{RunService, RunSighting};
use crate::send_and_wait::tell;

/// Seconds until the next poll of a paused batch.
const STOPPED_POLL: u64 = 60;

/// Batches of a run service.
#[derive(Clone)]
pub struct Batches {
    desk: Arc<dyn RunService>,
}

/// A batch in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchRow {
    /// Its id, to poll with.
    pub response_id: StreamId,
    /// A short description.
    pub title: String,
    /// The status of its run.
    pub state: RunStatus,
    /// When it was submitted.
    pub started_at: Timestamp,
    /// When its last task was done.
    pub ended_at: Option<Timestamp>,
}

impl Batches {
    /// Works through the given run service, local or the background worker.
    #[must_use]
    pub fn new(desk: Arc<dyn RunService>) -> Self {
        Self { desk }
    }

    /// Submits a batch; it is in the journal when this returns, and runs without the caller. If the same batch was
    /// submitted with the same key before, returns the state of that one.
    ///
    /// # Errors
    /// `conflict` if the key belongs to another batch; if the folder does not exist or the store cannot save the batch.
    pub async fn submit(&self, request: BatchRequest) -> Result<BatchAnswer, Failure> {
        let (run, planned, limits) = request.plan_batch()?;
        let body = planned.body.clone();
        let plan = Plan::new(&BatchFlow, &planned, limits);
        if body.is_some() && self.desk.find(run.as_str()).await.is_ok() {
            return self.same(&run, body.as_deref()).await;
        }
        match self.desk.start_as(run.clone(), plan).await {
            // Another process may have been faster with the same key.
            Ok(_) if body.is_some() => self.same(&run, body.as_deref()).await,
            Ok(_) => self.answer(&run).await,
            Err(failure) if failure.kind == ErrorKind::Conflict && body.is_some() => {
                self.same(&run, body.as_deref()).await
            }
            Err(failure) => Err(failure),
        }
    }

    /// The state of a batch with some of its results; the counts always cover all tasks.
    ///
    /// # Errors
    /// `not_found` when there is no such batch.
    pub async fn poll(&self, named: &str, page: BoardPage) -> Result<BatchAnswer, Failure> {
        let row = self.find(named).await?;
        let answer = self.answer_at(&row, page).await?;
        if row.status.is_terminal() || answer.counts.open() == 0 {
            return Ok(answer);
        }
        let trouble = self.desk.trouble(&row.run).await;
        Ok(BatchAnswer {
            trouble: trouble.map(|failure| failure.message),
            ..answer
        })
    }

    /// Waits until every task has its final state, the batch can only continue after a person has answered, or this
    /// time has passed. Returns the state with some of the results, and the counts of all tasks.
    ///
    /// # Errors
    /// `not_found` when there is no such batch; `interrupted` when its run was suspended.
    pub async fn wait(
        &self,
        named: &str,
        at_most: Option<Duration>,
        page: BoardPage,
    ) -> Result<BatchAnswer, Failure> {
        let row = self.find(named).await?;
        if !row.status.is_terminal() {
            let watching = self.desk.watch(&row.run).await?;
            let to_its_end = async {
                let (mut items, mut steps) = (watching.items, OpenSteps::default());
                while let Some(item) = items.next().await {
                    let RunSighting::Event(event) = item? else {
                        continue;
                    };
                    steps.fold(&event);
                    if event.seq < row.n_events {
                        continue;
                    }
                    if event.update.as_run_suspended().is_some_and(|it| !it.cut_off) {
                        let message = format!(
                            "batch {} was stopped before its end; resume it to continue",
                            row.run
                        );
                        return Err(Failure::new(ErrorKind::Interrupted, message));
                    }
                    if steps.only_ask() && self.waits_for_person(&row.run).await? {
                        return Ok(());
                    }
                }
                Ok(())
            };
            match at_most {
                None => to_its_end.await?,
                Some(at_most) => tokio::time::timeout(at_most, to_its_end)
                    .await
                    .unwrap_or(Ok(()))?,
            }
        }
        let row = self.desk.find(row.run.as_str()).await?;
        self.answer_at(&row, page).await
    }

    /// Whether a batch can only continue after a person has answered. The board is read because one transaction may end
    /// a step and start the next. An answer is in the journal of the asking run before its batch knows it.
    async fn waits_for_person(&self, run: &StreamId) -> Result<bool, Failure> {
        let answer = self.answer(run).await?;
        if !answer.counts.waits_for_person() {
            return Ok(false);
        }
        for asked in answer.results.into_iter().filter_map(|item| item.question) {
            let events = self.desk.events(&asked.run_id).await?;
            let mut given = events.iter().filter_map(|event| event.update.as_answer_given());
            if !given.any(|given| given.key == asked.key) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Cancels some tasks of a batch, or all of it if none is named.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` when there is nothing to cancel.
    pub async fn cancel(
        &self,
        named: &str,
        task_ids: &[String],
        reason: &str,
    ) -> Result<BatchAnswer, Failure> {
        let run = self.find(named).await?.run;
        self.check_tasks(&run, task_ids).await?;
        if task_ids.is_empty() {
            self.desk.cancel(&run, reason).await?;
        } else {
            let data = json!({ "task_ids": task_ids, "reason": reason });
            tell(self.desk.as_ref(), &run, AgentCommand::new(CANCEL_ITEMS, data)).await?;
        }
        self.answer(&run).await
    }

    /// Reruns tasks without an output: these, or all. An ended batch continues as a new one, whose id is in the answer;
    /// completed tasks keep their output.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` or `invalid_input` when there is nothing to rerun.
    pub async fn retry(&self, named: &str, task_ids: &[String]) -> Result<BatchAnswer, Failure> {
        let row = self.find(named).await?;
        self.check_tasks(&row.run, task_ids).await?;
        if !row.status.is_terminal() {
            let command = AgentCommand::new(RETRY_ITEMS, json!({ "task_ids": task_ids }));
            // When a paused batch with no open tasks is resumed, it ends, so send the command first.
            self.desk.send(&row.run, command.clone()).await?;
            self.wake(&row.run).await?;
            tell(self.desk.as_ref(), &row.run, command).await?;
            return self.answer(&row.run).await;
        }
        let events = self.desk.events(&row.run).await?;
        let started = events.first().and_then(|event| event.update.as_run_started());
        let limits = started.map(|started| started.limits).unwrap_or_default();
        let plan = Plan::new(&BatchFlow, &retry_plan(&events, task_ids)?, limits);
        let watching = self.desk.start(plan).await?;
        self.answer(&watching.run).await
    }

    /// Batches, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(&self, limit: usize) -> Result<Vec<BatchRow>, Failure> {
        let filter = RunFilter {
            flow: Some(BatchFlow.name().to_owned()),
            limit: Some(limit),
            ..RunFilter::default()
        };
        let rows = self.desk.list(&filter).await?.into_iter();
        Ok(rows
            .map(|row| BatchRow {
                response_id: row.run,
                title: row.title,
                state: row.status,
                started_at: row.started_at,
                ended_at: row.ended_at,
            })
            .collect())
    }

    /// The batch with this id, or the only one whose id has this prefix.
    async fn find(&self, named: &str) -> Result<RunRow, Failure> {
        let row = self.desk.find(named).await?;
        if row.flow != BatchFlow.name() {
            let message = format!("{} is a run of flow {}, not a batch", row.run, row.flow);
            return Err(Failure::new(ErrorKind::NotFound, message));
        }
        Ok(row)
    }

    /// The current state of a batch.
    async fn answer(&self, run: &StreamId) -> Result<BatchAnswer, Failure> {
        let row = self.desk.find(run.as_str()).await?;
        self.answer_at(&row, BoardPage::ALL).await
    }

    /// The state from the board. The journal is only needed for the end of a provider's limit, and for a run that
    /// failed with open tasks.
    async fn answer_at(&self, row: &RunRow, page: BoardPage) -> Result<BatchAnswer, Failure> {
        let run = &row.run;
        let answer = answer_of_board(row, self.desk.board(run, page).await?);
        let is_whole = answer.as_ref().is_some_and(|answer| {
            row.status != RunStatus::Parked && !(row.status.is_terminal() && answer.counts.open() > 0)
        });
        match answer.filter(|_| is_whole) {
            // No process works on it, so polling can be slow. An interrupted task may be final on the board, but the
            // batch is still pending.
            Some(answer) if row.status == RunStatus::Suspended => Ok(BatchAnswer {
                status: BatchStatus::Pending,
                paused: true,
                next_poll_interval_seconds: STOPPED_POLL,
                ..answer
            }),
            Some(answer) => Ok(answer),
            None => {
                let events = self.desk.events(run).await?;
                let answer = board(&events)?.answer(run.as_str(), Timestamp::now());
                Ok(answer.page(page.offset, page.limit))
            }
        }
    }

    /// The batch with this key, if it has the same contents.
    async fn same(&self, run: &StreamId, body: Option<&str>) -> Result<BatchAnswer, Failure> {
        let events = self.desk.events(run).await?;
        let started = events.first().and_then(|event| event.update.as_run_started());
        let before = started.and_then(|started| {
            let body = started.plan.get("body").and_then(|body| body.as_str());
            body.map(str::to_owned)
        });
        if before.as_deref() != body {
            let message = format!(
                "this key belongs to another batch, {run}: use another key, or submit the same tasks"
            );
            return Err(Failure::new(ErrorKind::Conflict, message));
        }
        self.wake(run).await?;
        self.answer(run).await
    }

    /// Resumes a batch that is suspended.
    async fn wake(&self, run: &StreamId) -> Result<(), Failure> {
        match self.desk.find(run.as_str()).await?.status {
            RunStatus::Suspended => self.desk.resume(run).await,
            _ => Ok(()),
        }
    }

    /// Refuses tasks that are not in the batch.
    async fn check_tasks(&self, run: &StreamId, task_ids: &[String]) -> Result<(), Failure> {
        if task_ids.is_empty() {
            return Ok(());
        }
        let answer = self.answer(run).await?;
        let known: HashSet<&str> = answer.results.iter().map(|item| item.task_id.as_str()).collect();
        match task_ids.iter().find(|id| !known.contains(id.as_str())) {
            None => Ok(()),
            Some(unknown) => {
                let message = format!("there is no task `{unknown}` in batch {run}");
                Err(Failure::new(ErrorKind::NotFound, message))
            }
        }
    }
}
