//! What a server is made of.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::ask::AgentName;
use gemicro_engine::{BatchRequest, Desk, Plan, Submitted};
use gemicro_event::Failure;

/// What a server is made of.
#[derive(Clone)]
pub struct Setup {
    /// Where runs are carried out.
    pub desk: Arc<dyn Desk>,
    /// Turns the parameters of research into a checked plan: settings live in the edge.
    pub research: Arc<dyn Fn(ResearchParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Says how a batch may work: settings live in the edge.
    pub batch: Arc<dyn Fn(BatchParameters) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns a coding task into a checked plan: settings and workflows live in the edge.
    pub pipeline: Arc<dyn Fn(PipelineParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Every call answers within this time: the result, or the id of a run that goes on.
    pub answer_within: Duration,
    /// Who takes over when the provider of an agent limits its requests; without it a run waits.
    pub fallback: Option<String>,
    /// Takes notices and the figures of `log_metrics`, line by line.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A question for research, as the tool was given it. What is not given is a setting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResearchParameters {
    /// The question.
    pub question: String,
    /// Absolute paths and web addresses to read.
    pub sources: Vec<String>,
    /// Answer from the sources alone, without a model.
    pub offline: bool,
    /// Who answers.
    pub backend: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Whether the web may be searched.
    pub web: Option<bool>,
    /// Sub-queries at most.
    pub max_queries: Option<usize>,
    /// What the run may use, such as `50k`, `$0.50` or `10m`.
    pub budget: Option<String>,
    /// Time the run may take.
    pub max_duration: Option<Duration>,
}

/// A batch as the tool was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchParameters {
    /// The tasks.
    pub batch: Submitted,
    /// The folder that they work in.
    pub directory: PathBuf,
}

/// A coding task as the tool was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineParameters {
    /// What is to be done.
    pub task: String,
    /// The checkout.
    pub directory: PathBuf,
    /// How it is entered.
    pub mode: PipelineEntry,
    /// The branch.
    pub branch: Option<String>,
    /// Who works where the role does not say.
    pub agent: Option<AgentName>,
    /// The model of that agent.
    pub model: Option<String>,
    /// Whether the branch is pushed and offered.
    pub push: bool,
    /// What the run may use.
    pub budget: Option<String>,
}

/// How a coding task is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineEntry {
    /// By finding out what is wrong.
    Bugfix,
    /// By finding out what is known.
    Research,
    /// By planning at once.
    Direct,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("answer_within", &self.answer_within)
            .finish_non_exhaustive()
    }
}
