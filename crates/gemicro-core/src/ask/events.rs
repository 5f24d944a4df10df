//! The events of an agent task.

use gemicro_event::{Registry, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentAnswer, AgentName, SandboxMode};

/// An agent was given a prompt. Once per step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// Who.
    pub agent: AgentName,
    /// The model it asks; without one it chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where it works.
    pub directory: String,
    /// What it may write.
    pub sandbox: SandboxMode,
    /// The branch of the folder's repository that it works on, in a private copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}
event_payload!(AgentStarted, "agent_started", |it| format!(
    "{} works {} ({})",
    it.agent,
    it.workplace(),
    it.sandbox
));

impl AgentStarted {
    /// Where it works, in words.
    #[must_use]
    pub fn workplace(&self) -> String {
        match &self.branch {
            None => format!("in {}", self.directory),
            Some(branch) => format!("on {branch} of {}", self.directory),
        }
    }
}

/// An agent answered. Once per step, with its completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentAnswered {
    /// Who.
    pub agent: AgentName,
    /// What it gave back.
    #[serde(flatten)]
    pub answer: AgentAnswer,
}
event_payload!(AgentAnswered, "agent_answered", |it| format!(
    "{} answered",
    it.agent
));

event_readers! {
    /// Readers of the events of agent tasks.
    pub trait AskReaders {
        AgentStarted => as_agent_started, try_as_agent_started;
        AgentAnswered => as_agent_answered, try_as_agent_answered;
    }
}

/// Registers the events of agent tasks.
pub fn register(registry: &mut Registry) {
    registry.add::<AgentStarted>();
    registry.add::<AgentAnswered>();
}
