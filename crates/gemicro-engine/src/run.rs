//! One execution under way.

use gemicro_core::drive::{DriveError, Ended};
use gemicro_core::live::LiveHub;
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

/// A run that this process drives. Dropping it does not stop it; its stop signals do.
#[derive(Debug)]
pub struct Run {
    /// Its id.
    pub id: StreamId,
    /// Its texts while they are written.
    pub live: LiveHub,
    pub(crate) driving: JoinHandle<Result<Ended, DriveError>>,
}

impl Run {
    /// Waits until the run ends or is suspended.
    ///
    /// # Errors
    /// When the store failed or another process took the run over; the run can be resumed.
    pub async fn wait(self) -> Result<Ended, Failure> {
        match self.driving.await {
            Ok(ended) => ended.map_err(Failure::from),
            Err(_) => {
                let message = format!("the driver of run {} panicked; its journal is whole", self.id);
                Err(Failure::new(ErrorKind::Internal, message))
            }
        }
    }
}

/// What became of a wish to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelOutcome {
    /// The run has ended as cancelled.
    Cancelled,
    /// The process that drives it was told; it has not answered yet.
    Requested,
    /// It had ended before.
    AlreadyEnded,
}
