//! Runs the steps of kind `agent_cli`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::ask::{AGENT_TEXT_STEP, AgentTask, SandboxMode};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, Spent, Step, StepFailure, StepOutput};
use gemicro_core::store::Store;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_pipeline::steps::{AGENT_WORK_STEP, AgentWork};
use gemicro_runner::supervise::{ProcessHandle, end_leftover};
use tokio_util::sync::CancellationToken;

use super::attempt::Attempt;
use super::branch::OnBranch;
use super::commons::AgentCommons;
use super::setup::AgentSetup;
use crate::pipeline::{Tools, open_for_agent};

/// Runs agent CLIs.
#[derive(Clone)]
pub struct AgentExecutor {
    shared: Arc<Shared>,
}

/// What all attempts need.
pub(super) struct Shared {
    pub(super) commons: AgentCommons,
    pub(super) setup: AgentSetup,
    pub(super) secrets: Vec<String>,
    /// What was said in earlier turns.
    pub(super) journal: Arc<dyn Store>,
}

/// What an agent is to do.
pub(super) enum Work {
    /// One task.
    Task(Box<AgentTask>),
    /// A prompt that only wants a text back.
    Text(Box<AgentTask>),
    /// A step of a pipeline.
    Staged(Box<AgentWork>),
}

impl Work {
    fn of(step: &Step) -> Result<Self, serde_json::Error> {
        match step.kind.as_str() {
            AGENT_WORK_STEP => step.input.parse().map(|work| Self::Staged(Box::new(work))),
            AGENT_TEXT_STEP => step.input.parse().map(|task| Self::Text(Box::new(task))),
            _ => step.input.parse().map(|task| Self::Task(Box::new(task))),
        }
    }

    pub(super) fn task(&self) -> &AgentTask {
        match self {
            Self::Task(task) | Self::Text(task) => task,
            Self::Staged(work) => &work.task,
        }
    }

    pub(super) fn is_staged(&self) -> bool {
        matches!(self, Self::Staged(_))
    }

    /// Whether nothing of it is kept but its answer.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// The branch that it works on, where it does.
    pub(super) async fn branch(
        &self,
        shared: &Shared,
        cancel: &CancellationToken,
    ) -> Result<Option<OnBranch>, Failure> {
        match (self, &self.task().branch) {
            (Self::Staged(work), _) => {
                let tools = Tools {
                    commons: shared.commons.clone(),
                    setup: shared.setup.clone(),
                    redactor: Redactor::new(&shared.secrets),
                };
                open_for_agent(&tools, work, cancel).await.map(Some)
            }
            (Self::Task(task), Some(branch)) => OnBranch::of(shared, task, branch).await.map(Some),
            (Self::Task(_) | Self::Text(_), _) => Ok(None),
        }
    }
}

impl AgentExecutor {
    /// With these keys and programs.
    #[must_use]
    pub fn new(
        commons: AgentCommons,
        setup: AgentSetup,
        secrets: Vec<String>,
        journal: Arc<dyn Store>,
    ) -> Self {
        let shared = Shared {
            commons,
            setup,
            secrets,
            journal,
        };
        Self {
            shared: Arc::new(shared),
        }
    }
}

impl Executor for AgentExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let work = Work::of(&call.step).map_err(|error| {
                let message = format!("the task cannot be read: {error}");
                StepFailure::free(Failure::new(ErrorKind::Internal, message))
            })?;
            if let Some(handle) = &call.handle {
                end(handle.parse().ok()).await;
                // A step of a pipeline begins again with a checkout made anew.
                if !work.is_staged() {
                    return Err(cut_off(work.task()));
                }
            }
            Attempt::run(&shared, &work, call).await
        })
    }

    /// An agent ends with us.
    fn goes_on_outside(&self) -> bool {
        false
    }

    /// A step of a pipeline begins again with a checkout made anew; any other only where nothing can have been changed.
    fn may_begin_again(&self, step: &Step) -> bool {
        Work::of(step).is_ok_and(|work| work.is_staged() || work.task().sandbox == SandboxMode::ReadOnly)
    }
}

/// Ends whatever is left of an attempt that was cut off.
async fn end(handle: Option<ProcessHandle>) {
    if let Some(handle) = handle {
        let _ = tokio::task::spawn_blocking(move || end_leftover(&handle)).await;
    }
}

/// An earlier attempt was cut off. One that could write is not followed by another.
fn cut_off(task: &AgentTask) -> StepFailure {
    let (kind, message, again) = if task.sandbox == SandboxMode::ReadOnly {
        (
            ErrorKind::SessionNotFound,
            "the agent was cut off".to_owned(),
            Again::AsUsual,
        )
    } else {
        let message = match &task.branch {
            None => format!(
                "the agent was cut off and may have changed files in {}: look at them, then ask again",
                task.directory
            ),
            Some(branch) => format!(
                "the agent was cut off; {branch} is as it was, and what it did is kept for the next run on it: ask again"
            ),
        };
        (ErrorKind::Interrupted, message, Again::Never)
    };
    StepFailure {
        failure: Failure::new(kind, message),
        spent: Spent::Unknown,
        again,
    }
}
