//! What an agent is to do, and what every attempt at it needs.

use std::sync::Arc;

use gemicro_core::ask::{AGENT_TEXT_STEP, AgentTask};
use gemicro_core::flow::Step;
use gemicro_core::store::Store;
use gemicro_pipeline::steps::{AGENT_WORK_STEP, AgentWork};

use super::setup::AgentSetup;
use super::shared_resources::SharedAgentResources;

/// What all attempts need.
pub(super) struct SharedWork {
    pub(super) commons: SharedAgentResources,
    pub(super) setup: AgentSetup,
    pub(super) secrets: Vec<String>,
    /// What was said in earlier turns.
    pub(super) journal: Arc<dyn Store>,
}

/// What an agent is to do.
pub(super) enum AgentJob {
    Task(Box<AgentTask>),
    /// A prompt that only wants a text back.
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

    /// Whether nothing of it is kept but its answer.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}
