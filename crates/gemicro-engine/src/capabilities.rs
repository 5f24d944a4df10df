//! What the keys and logins of an engine allow.

use std::collections::BTreeSet;

use gemicro_agents::AgentSetup;
use gemicro_core::ask::AgentName;
use gemicro_core::llm::Backends;

use crate::EngineConfig;

/// What can be carried out with the keys and logins that there are.
#[derive(Clone)]
pub(crate) struct Capabilities {
    pub(crate) llm: Backends,
    pub(crate) agents: BTreeSet<AgentName>,
}

impl Capabilities {
    pub(crate) fn of(config: &EngineConfig) -> Self {
        let has_access = |setup: &AgentSetup| {
            let ways = setup.access.iter().filter(|(_, way)| way.is_ok());
            ways.map(|(agent, _)| *agent).collect()
        };
        Self {
            llm: config.llm.clone(),
            agents: config.agents.as_ref().map(has_access).unwrap_or_default(),
        }
    }
}
