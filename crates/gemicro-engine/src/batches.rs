//! Batches over any desk: submitted, polled, cancelled and retried. A batch is a run of the flow `batch`, and its
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

/// Seconds until the next look at a batch that was stopped is worth it.
const STOPPED_POLL: u64 = 60;

/// Batches over a desk.
#[derive(Clone)]
pub struct Batches {
    desk: Arc<dyn RunService>,
}

/// A batch in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchRow {
    /// Its id, to poll with.
    pub response_id: StreamId,
    /// What it is, in a few words.
    pub title: String,
    /// How the run stands.
    pub state: RunStatus,
    /// When it was submitted.
    pub started_at: Timestamp,
    /// When its last task was done.
    pub ended_at: Option<Timestamp>,
}

impl Batches {
    /// Works through the given run service, local or over the background worker.
    #[must_use]
    pub fn new(desk: Arc<dyn RunService>) -> Self {
        Self { desk }
    }

    /// Takes a batch; it is in the journal when this returns, and goes on without the caller. One that was handed in
    /// under the same key before is answered as it stands.
    ///
    /// # Errors
    /// `conflict` when the key stands for another batch; when the folder does not exist or the store cannot take it.
    pub async fn submit(&self, request: BatchRequest) -> Result<BatchAnswer, Failure> {
        let (run, planned, limits) = request.plan_batch()?;
        let body = planned.body.clone();
        let plan = Plan::new(&BatchFlow, &planned, limits);
        if body.is_some() && self.desk.find(run.as_str()).await.is_ok() {
            return self.same(&run, body.as_deref()).await;
        }
        match self.desk.start_as(run.clone(), plan).await {
            // Somebody may have been quicker with the same key.
            Ok(_) if body.is_some() => self.same(&run, body.as_deref()).await,
            Ok(_) => self.answer(&run).await,
            Err(failure) if failure.kind == ErrorKind::Conflict && body.is_some() => {
                self.same(&run, body.as_deref()).await
            }
            Err(failure) => Err(failure),
        }
    }

    /// How a batch stands, with some of its results; its counts are always those of all tasks.
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

    /// How a batch stands when its last task has its final state, when it goes on only after a person has answered, or
    /// when this time has passed; with some of its results, and the counts of all tasks.
    ///
    /// # Errors
    /// `not_found` when there is no such batch; when the run was suspended, with what goes on with it.
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

    /// Whether a batch goes on only after a person has answered. One transaction may end a step and start the next; the
    /// board shows both or neither. An answer is in the journal of the run that asked before its batch knows it.
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

    /// Stops some tasks of a batch, or all of it where none is named.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` when there is nothing to stop.
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

    /// Does tasks without an output again: these, or all. A batch that has ended goes on in a new one, whose id the
    /// answer has; what completed keeps its output.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` or `invalid_input` when there is nothing to do again.
    pub async fn retry(&self, named: &str, task_ids: &[String]) -> Result<BatchAnswer, Failure> {
        let row = self.find(named).await?;
        self.check_tasks(&row.run, task_ids).await?;
        if !row.status.is_terminal() {
            let command = AgentCommand::new(RETRY_ITEMS, json!({ "task_ids": task_ids }));
            // A paused batch whose tasks are all settled ends when it is resumed, unless the command is there first.
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

    /// The batch with this id, or the only one whose id begins so.
    async fn find(&self, named: &str) -> Result<RunRow, Failure> {
        let row = self.desk.find(named).await?;
        if row.flow != BatchFlow.name() {
            let message = format!("{} is a run of flow {}, not a batch", row.run, row.flow);
            return Err(Failure::new(ErrorKind::NotFound, message));
        }
        Ok(row)
    }

    /// How a batch stands now.
    async fn answer(&self, run: &StreamId) -> Result<BatchAnswer, Failure> {
        let row = self.desk.find(run.as_str()).await?;
        self.answer_at(&row, BoardPage::ALL).await
    }

    /// As the board shows it. The journal says the rest: until when a limit holds, and what a run ended with whose
    /// flow broke.
    async fn answer_at(&self, row: &RunRow, page: BoardPage) -> Result<BatchAnswer, Failure> {
        let run = &row.run;
        let answer = answer_of_board(row, self.desk.board(run, page).await?);
        let is_whole = answer.as_ref().is_some_and(|answer| {
            row.status != RunStatus::Parked && !(row.status.is_terminal() && answer.counts.open() > 0)
        });
        match answer.filter(|_| is_whole) {
            // Nobody carries it out: there is nothing to hurry for. A task that the pause interrupted is its last word only
            // when the batch ends.
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

    /// The batch of a key, if it is the one that was handed in now.
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

    /// Goes on with a batch that was stopped.
    async fn wake(&self, run: &StreamId) -> Result<(), Failure> {
        match self.desk.find(run.as_str()).await?.status {
            RunStatus::Suspended => self.desk.resume(run).await,
            _ => Ok(()),
        }
    }

    /// Refuses tasks that a batch does not have.
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
