//! What the keys and logins of an engine allow.

use std::collections::BTreeSet;

use gemicro_agents::AgentSetup;
use gemicro_core::ask::AgentName;
use gemicro_core::flow::PlanFacts;
use gemicro_core::llm::Backends;

use crate::EngineConfig;

/// What can be carried out with the keys and logins that there are.
#[derive(Clone)]
pub(crate) struct Capabilities {
    llm: Backends,
    agents: BTreeSet<AgentName>,
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

    /// The agent or backend that a run needs and that cannot be called here.
    pub(crate) fn missing(&self, needs: &PlanFacts) -> Option<String> {
        let agent = needs.agents.iter().find(|agent| !self.agents.contains(*agent));
        let is_missing = |backend: &&String| match AgentName::of_backend(backend) {
            Some(agent) => !self.agents.contains(&agent),
            None => !self.llm.has(backend),
        };
        let backend = || needs.backend.as_ref().filter(is_missing).cloned();
        agent.map(ToString::to_string).or_else(backend)
    }
}
