//! Which runs are possible with the available keys and logins.

use std::collections::BTreeSet;

use gemicro_core::ask::AgentName;
use gemicro_core::flow::PlanFacts;
use gemicro_core::llm::Backends;

use crate::setup::AgentSetup;

/// The agents and backends that can be used with the available keys and logins.
#[derive(Clone)]
pub struct Capabilities {
    llm: Backends,
    agents: BTreeSet<AgentName>,
}

impl Capabilities {
    /// Collects the usable backends and agents.
    #[must_use]
    pub fn new(llm: Backends, agents: Option<&AgentSetup>) -> Self {
        let has_access = |setup: &AgentSetup| {
            let ways = setup.access.iter().filter(|(_, way)| way.is_ok());
            ways.map(|(agent, _)| *agent).collect()
        };
        Self {
            llm,
            agents: agents.map(has_access).unwrap_or_default(),
        }
    }

    /// The agent or backend that a run needs and that is not available here.
    #[must_use]
    pub fn missing_backend(&self, needs: &PlanFacts) -> Option<String> {
        let agent = needs.agents.iter().find(|agent| !self.agents.contains(*agent));
        let is_missing = |backend: &&String| match AgentName::of_backend(backend) {
            Some(agent) => !self.agents.contains(&agent),
            None => !self.llm.has(backend),
        };
        let backend = || needs.backend.as_ref().filter(is_missing).cloned();
        agent.map(ToString::to_string).or_else(backend)
    }
}
