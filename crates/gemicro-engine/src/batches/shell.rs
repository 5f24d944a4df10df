//! Shell commands with the walls of this machine and the user's policy as it is now.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_batch::shell::{ShellExecutor, ShellSetup};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::Failure;
use gemicro_event::redact::Redactor;

use crate::agents::{AgentCommons, AgentSetup};

/// Runs steps of kind `shell`.
pub(crate) struct Shell {
    parts: Arc<Parts>,
}

struct Parts {
    commons: AgentCommons,
    setup: AgentSetup,
    redactor: Redactor,
}

impl Shell {
    pub(crate) fn new(commons: AgentCommons, setup: AgentSetup, redactor: Redactor) -> Self {
        Self {
            parts: Arc::new(Parts {
                commons,
                setup,
                redactor,
            }),
        }
    }
}

impl Parts {
    async fn executor(&self) -> Result<ShellExecutor, Failure> {
        let state = self.commons.state();
        let path = self.setup.environment.get("PATH");
        Ok(ShellExecutor::new(ShellSetup {
            launcher: self.setup.launcher.clone(),
            tier: self.commons.tier(&self.setup.launcher).await?,
            policy: self.setup.policy.read()?,
            user_home: self.setup.user_home.clone(),
            hidden: vec![state.to_owned()],
            scratch: state.join("shell"),
            path: path.cloned().unwrap_or_default(),
            redactor: self.redactor.clone(),
        }))
    }
}

impl Executor for Shell {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let parts = self.parts.clone();
        Box::pin(async move {
            let executor = parts.executor().await.map_err(StepFailure::free)?;
            executor.execute(call).await
        })
    }

    fn goes_on_outside(&self) -> bool {
        false
    }
}
