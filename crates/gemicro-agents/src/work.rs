//! The task of an agent, and what every attempt at it needs.

use std::sync::Arc;

use gemicro_core::ask::{AGENT_TEXT_STEP, AgentTask};
use gemicro_core::flow::Step;
use gemicro_core::store::Store;
use gemicro_pipeline::steps::{AGENT_WORK_STEP, AgentWork};

use super::setup::AgentSetup;
use super::shared_resources::SharedAgentResources;

/// Resources of all attempts.
pub(super) struct SharedWork {
    pub(super) commons: SharedAgentResources,
    pub(super) setup: AgentSetup,
    pub(super) secrets: Vec<String>,
    /// The store with the earlier turns.
    pub(super) journal: Arc<dyn Store>,
}

/// The task of an agent.
pub(super) enum AgentJob {
    Task(Box<AgentTask>),
    /// A prompt that only needs a text answer.
    Text(Box<AgentTask>),
    /// A step of a pipeline.
    Staged(Box<AgentWork>),
}

impl AgentJob {
    pub(super) fn of(step: &Step) -> Result<Self, serde_json::Error> {
        match step.kind.as_str() {
            AGENT_WORK_STEP => step.input.parse().map(|work| Self::Staged(Box::new(work))),
            AGENT_TEXT_STEP => step.input.parse().map(|task| Self::Text(Box::new(task))),
            _ => step.input.parse().map(|task| Self::Task(Box::new(task))),
        }
    }

    pub(super) fn task(&self) -> &AgentTask {
        match self {
            Self::Task(task) | Self::Text(task) => task,
            Self::Staged(work) => &work.task,
        }
    }

    pub(super) fn is_staged(&self) -> bool {
        matches!(self, Self::Staged(_))
    }

    /// Whether only its answer is kept.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}
