//! What every tool call has, and how those that start a run go about it.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::run::RunRow;
use gemicro_engine::Plan;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use rmcp::ErrorData;
use rmcp::model::CallToolResponse;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::answer::McpAnswer;
use crate::calls::RunningCall;
use crate::progress::ProgressSender;
use crate::setup::McpSetup;
use crate::tasks;
use crate::waiting::{Patience, WaitOutcome, finish_detached, wait};

/// A client that knows tasks gets one for a run that takes longer than this.
const TASK_AFTER: Duration = Duration::from_secs(1);

/// One call of one tool.
pub(crate) struct McpToolCall {
    pub(crate) setup: Arc<McpSetup>,
    /// The call, as long as it is under way.
    pub(crate) running: RunningCall,
    /// Falls when the connection closes.
    pub(crate) closing: CancellationToken,
    /// The way to a client that asked for progress.
    pub(crate) progress: ProgressSender,
    /// Whether the client knows tasks.
    pub(crate) takes_tasks: bool,
    pub(crate) began: Instant,
}

/// Sees the events of a run once it has ended, whether or not the call still waits.
pub(crate) type AtEnd = Box<dyn FnOnce(&[Event]) + Send>;

/// What became of a run that a call started.
pub(crate) enum StartedCall {
    /// It has ended, or was stopped.
    Ended(Vec<Event>),
    /// It goes on: its id, its events so far.
    GoesOn(StreamId, Vec<Event>),
    /// It became a task.
    Task(Box<CallToolResponse>),
    /// The client took the call back, and the run was cancelled.
    Withdrawn,
}

impl McpToolCall {
    /// Ends the waiting for a run after a while, counted from the call's beginning.
    pub(crate) fn patience(&self, within: Duration) -> Patience {
        Patience {
            until: self.began + within,
            withdrawn: self.running.withdrawn.clone(),
            closing: self.closing.clone(),
        }
    }

    /// A run by its id, and every event of it so far.
    pub(crate) async fn look_up(&self, named: String) -> Result<(RunRow, Vec<Event>), Failure> {
        let desk = self.setup.desk.clone();
        finish_detached(self.setup.answer_within, async move {
            let row = desk.find(&named).await?;
            let events = desk.events(&row.run).await?;
            Ok((row, events))
        })
        .await
    }

    /// Starts a run and waits for it, as long as a call may.
    pub(crate) async fn start(
        &mut self,
        plan: Plan,
        at_end: Option<AtEnd>,
    ) -> Result<Result<StartedCall, Failure>, ErrorData> {
        for notice in plan.notices() {
            (self.setup.log)(&notice);
        }
        let (desk, run) = (self.setup.desk.clone(), StreamId::random());
        let id = run.clone();
        // Whoever is gone by then finds the run under its id.
        let starting = async move { desk.start_as(id, plan).await };
        let watching = match tokio::time::timeout(self.setup.answer_within, tokio::spawn(starting)).await {
            Ok(Ok(Ok(watching))) => watching,
            Ok(Ok(Err(failure))) => return Ok(Err(failure)),
            Ok(Err(_)) => {
                let message = "a task of the server panicked";
                return Ok(Err(Failure::new(ErrorKind::Internal, message)));
            }
            // It may start yet: its id tells.
            Err(_) => return Ok(Ok(StartedCall::GoesOn(run, Vec::new()))),
        };
        self.progress
            .say(&format!("run {run} started; its id is good for run_result"))
            .await;
        let within = if self.takes_tasks {
            self.setup.answer_within.min(TASK_AFTER)
        } else {
            self.setup.answer_within
        };
        let patience = self.patience(within);
        match wait(watching, &patience, &mut self.progress).await {
            WaitOutcome::Ended(events) => {
                if let Some(at_end) = at_end {
                    at_end(&events);
                }
                Ok(Ok(StartedCall::Ended(events)))
            }
            WaitOutcome::GoesOn(events, rest) => {
                if let Some(at_end) = at_end {
                    let seen = events.clone();
                    tokio::spawn(async move {
                        if let Ok(later) = rest.into_events().await {
                            at_end(&[seen, later].concat());
                        }
                    });
                }
                if self.takes_tasks {
                    let task = tasks::create(self.setup.desk.as_ref(), run.as_str()).await?;
                    return Ok(Ok(StartedCall::Task(Box::new(CallToolResponse::Task(task)))));
                }
                Ok(Ok(StartedCall::GoesOn(run, events)))
            }
            WaitOutcome::Withdrawn => {
                self.cancel(&run, "the client cancelled the call").await?;
                Ok(Ok(StartedCall::Withdrawn))
            }
        }
    }

    async fn cancel(&self, run: &StreamId, reason: &'static str) -> Result<(), ErrorData> {
        let (desk, run) = (self.setup.desk.clone(), run.clone());
        let cancelled = finish_detached(self.setup.answer_within, async move {
            desk.cancel(&run, reason).await
        })
        .await;
        cancelled
            .map(|_| ())
            .map_err(|failure| tasks::error_data(&failure))
    }
}

/// The answer to a call that nobody waits for any more.
pub(crate) fn withdrawn(tool: &str) -> McpAnswer {
    let failure = Failure::new(ErrorKind::Cancelled, "the client cancelled the call");
    McpAnswer::failure(tool, &failure)
}
