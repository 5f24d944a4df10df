//! The resources of steps on a branch.

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::CommitId;
use gemicro_guard::sandbox::Tier;

use super::setup::AgentSetup;
use super::shared_resources::SharedAgentResources;

/// The resources of steps on a branch.
pub struct Tools {
    /// Gateway, sandbox probe and warm processes that all agents of this process share.
    pub commons: SharedAgentResources,
    /// Programs, keys and logins.
    pub setup: AgentSetup,
    /// Redacts secrets from the output of commands.
    pub redactor: Redactor,
}

impl Tools {
    /// The sandbox tier of this machine; fails without a sandbox, because the steps run code that agents wrote.
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

/// Parses a full commit id.
pub fn commit(name: &str) -> Result<CommitId, Failure> {
    CommitId::parse(name)
        .ok_or_else(|| Failure::new(ErrorKind::Internal, format!("`{name}` is not a full commit id")))
}

/// Runs a blocking function on another thread.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::new(ErrorKind::Internal, error.to_string())))
}
