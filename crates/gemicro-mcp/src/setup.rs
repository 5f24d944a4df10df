//! The parts of a server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_engine::{
    BatchRequest, Plan, RunService, StartPipelineParameters, StartResearchParameters, SubmittedBatch,
};
use gemicro_event::Failure;

/// The parts of a server.
#[derive(Clone)]
pub struct McpSetup {
    /// The service that executes runs.
    pub desk: Arc<dyn RunService>,
    /// Turns the parameters of research into a checked plan; the caller has the settings.
    pub research: Arc<dyn Fn(StartResearchParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Adds the settings to a batch; the caller has them.
    pub batch: Arc<dyn Fn(BatchParameters) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns a coding task into a checked plan; the caller has the settings and workflows.
    pub pipeline: Arc<dyn Fn(StartPipelineParameters) -> Result<Plan, Failure> + Send + Sync>,
    /// Maximum time of every call; then it answers with the result, or the id of a run that continues.
    pub answer_within: Duration,
    /// The agent or model that takes over when the provider of an agent limits its requests; without it a run waits.
    pub fallback: Option<String>,
    /// Receives notices and the metrics of `log_metrics`, line by line.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The parameters of a submitted batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchParameters {
    /// The tasks, their key and what happens when one fails.
    pub batch: SubmittedBatch,
    /// Working directory of the tasks.
    pub directory: PathBuf,
}

impl std::fmt::Debug for McpSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("answer_within", &self.answer_within)
            .finish_non_exhaustive()
    }
}
