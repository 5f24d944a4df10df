//! What the steps on a branch are done with.

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::CommitId;
use gemicro_guard::sandbox::Tier;

use super::setup::AgentSetup;
use super::shared_resources::SharedAgentResources;

/// What steps are done with.
pub struct Tools {
    /// Gateway, sandbox probe and warm processes that all agents of this process share.
    pub commons: SharedAgentResources,
    /// What the edge knows.
    pub setup: AgentSetup,
    /// Keeps secrets out of what commands print.
    pub redactor: Redactor,
}

impl Tools {
    /// The walls of this machine. Without any, what agents wrote is not run.
    pub async fn tier(&self) -> Result<Tier, Failure> {
        let tier = self.commons.tier(&self.setup.launcher).await?;
        if tier == Tier::None {
            let message =
                "a pipeline runs what agents wrote, which needs a sandbox, and this machine has none";
            return Err(Failure::new(ErrorKind::SandboxUnavailable, message));
        }
        Ok(tier)
    }
}

/// A commit by its whole name.
pub fn commit(name: &str) -> Result<CommitId, Failure> {
    CommitId::parse(name)
        .ok_or_else(|| Failure::new(ErrorKind::Internal, format!("`{name}` is not a full commit id")))
}

/// Does something that blocks.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::new(ErrorKind::Internal, error.to_string())))
}
