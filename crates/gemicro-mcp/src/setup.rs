//! What a server is made of.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_engine::{
    BatchRequest, Plan, RunService, StartPipelineParameters, StartResearchParameters, SubmittedBatch,
};
use gemicro_event::Failure;

/// What a server is made of.
#[derive(Clone)]
pub struct McpSetup {
    /// Where runs are carried out.
    pub desk: Arc<dyn RunService>,
    /// Turns the parameters of research into a checked plan: settings live in the edge.
    pub research: Arc<dyn Fn(StartResearchParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Says how a batch may work: settings live in the edge.
    pub batch: Arc<dyn Fn(BatchParameters) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns a coding task into a checked plan: settings and workflows live in the edge.
    pub pipeline: Arc<dyn Fn(StartPipelineParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Every call answers within this time: the result, or the id of a run that goes on.
    pub answer_within: Duration,
    /// Who takes over when the provider of an agent limits its requests; without it a run waits.
    pub fallback: Option<String>,
    /// Takes notices and the figures of `log_metrics`, line by line.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A batch as the tool was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchParameters {
    /// The tasks, their key and what happens when one fails.
    pub batch: SubmittedBatch,
    /// The folder that they work in.
    pub directory: PathBuf,
}

impl std::fmt::Debug for McpSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("answer_within", &self.answer_within)
            .finish_non_exhaustive()
    }
}
