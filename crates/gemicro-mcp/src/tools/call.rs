//! The common parts of tool calls, and how a call starts a run.

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

/// A client that supports tasks gets one if a run takes longer than this.
const TASK_AFTER: Duration = Duration::from_secs(1);

/// One call of one tool.
pub(crate) struct McpToolCall {
    pub(crate) setup: Arc<McpSetup>,
    /// The call, while it is running.
    pub(crate) running: RunningCall,
    /// Cancelled when the connection closes.
    pub(crate) closing: CancellationToken,
    /// Sends progress to a client that requested it.
    pub(crate) progress: ProgressSender,
    /// Whether the client supports tasks.
    pub(crate) takes_tasks: bool,
    pub(crate) began: Instant,
}

/// Receives the events of a run once it has ended, even if the call no longer waits.
pub(crate) type AtEnd = Box<dyn FnOnce(&[Event]) + Send>;

/// The state of a run that a call started.
pub(crate) enum StartedCall {
    /// It has ended, or was stopped.
    Ended(Vec<Event>),
    /// It continues; its id and its events so far.
    GoesOn(StreamId, Vec<Event>),
    /// It became a task.
    Task(Box<CallToolResponse>),
    /// The client cancelled the call, and the run was cancelled.
    Withdrawn,
}

impl McpToolCall {
    /// Limits the wait for a run, counted from the start of the call.
    pub(crate) fn patience(&self, within: Duration) -> Patience {
        Patience {
            until: self.began + within,
            withdrawn: self.running.withdrawn.clone(),
            closing: self.closing.clone(),
        }
    }

    /// A run by its id, with all its events so far.
    pub(crate) async fn look_up(&self, named: String) -> Result<(RunRow, Vec<Event>), Failure> {
        let desk = self.setup.desk.clone();
        finish_detached(self.setup.answer_within, async move {
            let row = desk.find(&named).await?;
            let events = desk.events(&row.run).await?;
            Ok((row, events))
        })
        .await
    }

    /// Starts a run and waits for it as long as the call may take.
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
        // If the client is gone by then, it finds the run by its id.
        let starting = async move { desk.start_as(id, plan).await };
        let watching = match tokio::time::timeout(self.setup.answer_within, tokio::spawn(starting)).await {
            Ok(Ok(Ok(watching))) => watching,
            Ok(Ok(Err(failure))) => return Ok(Err(failure)),
            Ok(Err(_)) => {
                let message = "a task of the server panicked";
                return Ok(Err(Failure::new(ErrorKind::Internal, message)));
            }
            // It may still start; the client can ask with its id.
            Err(_) => return Ok(Ok(StartedCall::GoesOn(run, Vec::new()))),
        };
        self.progress
            .say(&format!("run {run} started; use its id with run_result"))
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

/// The answer to a call that the client cancelled.
pub(crate) fn withdrawn(tool: &str) -> McpAnswer {
    let failure = Failure::new(ErrorKind::Cancelled, "the client cancelled the call");
    McpAnswer::failure(tool, &failure)
}
