//! Chooses the agent of `ask`, `run` and `chat` if the user names neither an agent nor a model.

use gemicro_core::ask::AgentName;

use crate::command_error::CommandError;
use crate::commands::doctor::ready_agents;
use crate::config::{AgentSettings, Endpoints, Layers};
use crate::environment::Environment;

/// The default agent, and why it is the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefaultAgent {
    pub(crate) agent: AgentName,
    /// The words for `doctor`.
    pub(crate) why: String,
    /// Whether its program was found and it has a key or a login.
    pub(crate) is_ready: bool,
}

impl DefaultAgent {
    /// The agent of the settings, else the only one that is ready, else Gemini CLI. Only looks for files: no program is
    /// started.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub(crate) fn resolve(environment: &Environment, layers: &Layers) -> Result<Self, CommandError> {
        let set = AgentSettings::resolve(layers)?.agent;
        let ready = ready_agents(environment, &Endpoints::resolve(layers)?)?;
        let (agent, why) = match (set.value, ready.as_slice()) {
            (Some(agent), ready) if ready.contains(&agent) => (agent, format!("set by {}", set.origin)),
            (Some(agent), _) => (agent, format!("set by {}, but it is not ready", set.origin)),
            (None, [only]) => (*only, "the only agent that is ready".to_owned()),
            (None, []) => (AgentName::Gemini, "but no agent is ready".to_owned()),
            (None, several) => {
                let names: Vec<&str> = several.iter().map(|agent| agent.as_str()).collect();
                (
                    AgentName::Gemini,
                    format!("because several agents are ready ({})", names.join(", ")),
                )
            }
        };
        Ok(Self {
            agent,
            why,
            is_ready: ready.contains(&agent),
        })
    }
}
