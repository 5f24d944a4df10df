//! Runs the steps of kind `agent_cli`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::ask::{AgentTask, SandboxMode};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure};
use gemicro_runner::supervise::{ProcessHandle, end_leftover};

use super::agent_slot::AgentSlot;
use super::attempt::AgentAttempt;
use super::owner_notes::refresh_notes;
use super::setup::AgentSetup;
use super::shared_resources::SharedAgentResources;
use super::turn_result::refused_start;
use super::work::{AgentJob, SharedWork};

/// Runs steps that are attempts of an agent CLI.
#[derive(Clone)]
pub struct AgentExecutor {
    shared: Arc<SharedWork>,
}

impl AgentExecutor {
    /// An executor with these keys and programs.
    #[must_use]
    pub fn new(
        commons: SharedAgentResources,
        setup: AgentSetup,
        secrets: Vec<String>,
        journal: Arc<dyn Store>,
    ) -> Self {
        let shared = SharedWork {
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
            let mut work = AgentJob::of(&call.step).map_err(|error| {
                let message = format!("the task cannot be read: {error}");
                StepFailure::free(Failure::new(ErrorKind::Internal, message))
            })?;
            if let Some(handle) = &call.handle {
                end(handle.parse().ok()).await;
                // A step of a pipeline starts again with a fresh checkout.
                if !work.is_staged() {
                    return Err(cut_off(work.task()));
                }
            }
            if let AgentJob::Staged(work) = &mut work {
                let refreshed = refresh_notes(&shared, work, &call.reporter).await;
                refreshed.map_err(refused_start)?;
            }
            let _slot = AgentSlot::wait(shared.commons.state(), shared.setup.max_agents, &call).await?;
            AgentAttempt::run(&shared, &work, call).await
        })
    }

    /// An agent ends with this process.
    fn survives_driver(&self) -> bool {
        false
    }

    /// A step of a pipeline starts again with a fresh checkout; any other only if nothing can have been changed.
    fn may_begin_again(&self, step: &Step) -> bool {
        AgentJob::of(step).is_ok_and(|work| work.is_staged() || work.task().sandbox == SandboxMode::ReadOnly)
    }
}

/// Ends the leftover processes of an interrupted attempt.
async fn end(handle: Option<ProcessHandle>) {
    if let Some(handle) = handle {
        let _ = tokio::task::spawn_blocking(move || end_leftover(&handle)).await;
    }
}

/// The failure after an interrupted attempt. One that could write is not repeated.
fn cut_off(task: &AgentTask) -> StepFailure {
    let (kind, message, again) = if task.sandbox == SandboxMode::ReadOnly {
        (
            ErrorKind::SessionNotFound,
            "the agent was interrupted".to_owned(),
            Again::AsUsual,
        )
    } else {
        let message = match &task.branch {
            None => format!(
                "the agent was interrupted and may have changed files in {}. Check them, then try again",
                task.directory
            ),
            Some(branch) => format!(
                "the agent was interrupted; {branch} is unchanged, and the work so far is kept for the next run \
                 on it. Try again"
            ),
        };
        (ErrorKind::Interrupted, message, Again::Never)
    };
    StepFailure {
        failure: Failure::new(kind, message),
        spent: AttemptCost::Unknown,
        again,
    }
}
