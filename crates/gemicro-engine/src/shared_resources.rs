//! What the engines of one process share.

use std::path::Path;

use gemicro_agents::SharedAgentResources;
use gemicro_source::OpenIndexes;

/// What the engines of one process share; clones are the same.
#[derive(Clone)]
pub struct SharedResources {
    /// The gateway, warm processes, and what is known about this machine.
    pub agents: SharedAgentResources,
    /// The search indexes of research.
    pub indexes: OpenIndexes,
}

impl SharedResources {
    /// Over the state folder; every agent ends with its turn.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self::with(SharedAgentResources::new(state))
    }

    /// The same, and agents that can take another turn stay for it.
    #[must_use]
    pub(crate) fn keeping_warm(state: &Path) -> Self {
        Self::with(SharedAgentResources::keeping_warm(state))
    }

    fn with(agents: SharedAgentResources) -> Self {
        Self {
            agents,
            indexes: OpenIndexes::default(),
        }
    }
}
