//! Resources shared by the engines of one process.

use std::path::Path;

use gemicro_agents::SharedAgentResources;
use gemicro_source::OpenIndexes;

/// Resources shared by the engines of one process; clones share them too.
#[derive(Clone)]
pub struct SharedResources {
    /// The gateway, warm processes, and cached facts about this machine.
    pub agents: SharedAgentResources,
    /// The search indexes of research.
    pub indexes: OpenIndexes,
}

impl SharedResources {
    /// For a state folder; every agent ends with its turn.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self::with(SharedAgentResources::new(state))
    }

    /// The same, but agents that can take another turn are kept running.
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
