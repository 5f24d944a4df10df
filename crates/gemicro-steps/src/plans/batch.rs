//! Turns a submitted batch into a plan.

use gemicro_batch::contract::{OnFailure, SubmittedBatch, Task};
use gemicro_batch::flow::{BatchPlan, plan};
use gemicro_batch::types::BatchSettings;
use gemicro_core::budget::Limits;
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::checks::folder;

/// Bytes of a digest in an id.
const MARK_BYTES: usize = 16;

/// A batch and its settings.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// The tasks, as `gemicro_batch::contract::read_batch` read them.
    pub batch: SubmittedBatch,
    /// Defaults for all tasks.
    pub settings: BatchSettings,
    /// Limits for all tasks together.
    pub limits: Limits,
}

impl BatchRequest {
    /// The id of its run, the plan and its limits.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub fn plan_batch(self) -> Result<(StreamId, BatchPlan, Limits), Failure> {
        let directory = folder(self.settings.directory.as_ref())?;
        let settings = BatchSettings {
            directory,
            ..self.settings
        };
        let body = mark(&self.batch)?;
        let (run, body) = match &self.batch.key {
            None => (StreamId::random(), None),
            Some(key) => (run_of(key)?, Some(body)),
        };
        let mut planned = plan(self.batch, settings);
        planned.body = body;
        Ok((run, planned, self.limits))
    }
}

/// The run id for an idempotency key: always the same for the same key.
fn run_of(key: &str) -> Result<StreamId, Failure> {
    let name = format!("batch-{}", hex(&Sha256::digest(format!("batch key\n{key}"))));
    StreamId::new(name).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))
}

/// A digest of the submitted batch. Computed before secrets are replaced, so that it is always the same.
fn mark(batch: &SubmittedBatch) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct BatchRequestBody<'b> {
        on_failure: OnFailure,
        deadline_seconds: Option<u64>,
        tasks: &'b [Task],
    }
    let body = BatchRequestBody {
        on_failure: batch.on_failure,
        deadline_seconds: batch.deadline_seconds,
        tasks: &batch.tasks,
    };
    let text = serde_json::to_vec(&body)
        .map_err(|error| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
    Ok(hex(&Sha256::digest(text)))
}

fn hex(digest: &[u8]) -> String {
    let bytes = digest.iter().take(MARK_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
