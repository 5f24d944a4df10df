//! Runs the steps of kind `agent_cli`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::ask::{AgentTask, SandboxMode};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, Spent, StepFailure, StepOutput};
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure};
use gemicro_runner::supervise::{ProcessHandle, end_leftover};

use super::attempt::Attempt;
use super::commons::AgentCommons;
use super::setup::AgentSetup;

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
            let task: AgentTask = call.step.input.parse().map_err(|error| {
                let message = format!("the task cannot be read: {error}");
                StepFailure::free(Failure::new(ErrorKind::Internal, message))
            })?;
            if let Some(handle) = &call.handle {
                return Err(cut_off(&task, handle.parse().ok()).await);
            }
            Attempt::run(&shared, &task, call).await
        })
    }

    /// An agent ends with us.
    fn goes_on_outside(&self) -> bool {
        false
    }
}

/// An earlier attempt was cut off: whatever is left of it is ended. One that could write is not followed by another.
async fn cut_off(task: &AgentTask, handle: Option<ProcessHandle>) -> StepFailure {
    if let Some(handle) = handle {
        let _ = tokio::task::spawn_blocking(move || end_leftover(&handle)).await;
    }
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
