//! Runs shell commands and tests of models in this machine's sandbox, under the user's current policy.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_agents::{AgentSetup, SharedAgentResources};
use gemicro_batch::proposal::{CHECK_STEP, CheckExecutor};
use gemicro_batch::shell::{ShellExecutor, ShellSetup, may_begin_again};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Step, StepFailure, StepOutput};
use gemicro_event::Failure;
use gemicro_event::redact::Redactor;
use gemicro_guard::repository::GitSettings;

/// Runs steps of kind `shell` and `test_check`.
pub(crate) struct Shell {
    parts: Arc<ShellParts>,
}

struct ShellParts {
    commons: SharedAgentResources,
    setup: AgentSetup,
    redactor: Redactor,
}

impl Shell {
    pub(crate) fn new(commons: SharedAgentResources, setup: AgentSetup, redactor: Redactor) -> Self {
        Self {
            parts: Arc::new(ShellParts {
                commons,
                setup,
                redactor,
            }),
        }
    }
}

impl Shell {
    /// Settings for running git in the user's repositories.
    pub(crate) fn git_settings(&self) -> GitSettings {
        let setup = &self.parts.setup;
        let path = setup.environment.get("PATH").cloned().unwrap_or_default();
        GitSettings {
            agent_folders: vec![self.parts.commons.state().join("tasks")],
            config_home: setup.environment.get("XDG_CONFIG_HOME").map(PathBuf::from),
            ..GitSettings::new(path, &setup.user_home)
        }
    }
}

impl ShellParts {
    async fn shell_setup(&self) -> Result<ShellSetup, Failure> {
        let state = self.commons.state();
        let path = self.setup.environment.get("PATH").cloned().unwrap_or_default();
        Ok(ShellSetup {
            launcher: self.setup.launcher.clone(),
            tier: self.commons.tier(&self.setup.launcher).await?,
            policy: self.setup.policy.read()?,
            user_home: self.setup.user_home.clone(),
            hidden: vec![state.to_owned()],
            scratch: state.join("shell"),
            toolchains: self.setup.toolchains()?,
            path,
            redactor: self.redactor.clone(),
        })
    }
}

impl Executor for Shell {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let parts = self.parts.clone();
        Box::pin(async move {
            let setup = parts.shell_setup().await.map_err(StepFailure::free)?;
            match call.step.kind.as_str() {
                CHECK_STEP => CheckExecutor::new(setup).execute(call).await,
                _ => ShellExecutor::new(setup).execute(call).await,
            }
        })
    }

    fn survives_driver(&self) -> bool {
        false
    }

    fn may_begin_again(&self, step: &Step) -> bool {
        match step.kind.as_str() {
            // It works in fresh copies.
            CHECK_STEP => true,
            _ => may_begin_again(step),
        }
    }
}
