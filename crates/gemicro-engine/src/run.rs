//! A run driven by this process.

use gemicro_core::drive::{DriveEnd, DriveError};
use gemicro_core::live::LiveHub;
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_store::DurableStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

/// A run that this process drives. Dropping it does not stop it; its stop signals do.
#[derive(Debug)]
pub struct DrivenRun {
    /// Id of the run, which is that of its stream.
    pub id: StreamId,
    /// Its text while it is written.
    pub live: LiveHub,
    pub(crate) driving: JoinHandle<Result<DriveEnd, DriveError>>,
}

impl DrivenRun {
    /// Waits until the run ends or is suspended.
    ///
    /// # Errors
    /// When the store failed or another process took the run; it can be resumed.
    pub async fn wait(self) -> Result<DriveEnd, Failure> {
        match self.driving.await {
            Ok(ended) => ended.map_err(Failure::from),
            Err(_) => {
                let message = format!("the driver of run {} panicked; its journal is intact", self.id);
                Err(Failure::new(ErrorKind::Internal, message))
            }
        }
    }
}

/// The first event of a run; `None` if its journal does not begin with it.
pub(crate) async fn first_event(
    store: &DurableStore,
    id: &StreamId,
) -> Result<Option<RunStarted>, StoreError> {
    let first = store.read(id, 0, 1).await?.events.pop();
    Ok(first.and_then(|event| event.update.as_run_started()))
}

/// The result of a cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// The run has ended as cancelled.
    Cancelled,
    /// The process that drives it was notified; it has not answered yet.
    Requested,
    /// It had ended before.
    AlreadyEnded,
}
