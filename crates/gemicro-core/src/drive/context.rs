//! The inputs and results of a driver.

use std::sync::Arc;
use std::time::Duration;

use gemicro_event::{ErrorKind, Event, Failure};
use tokio_util::sync::CancellationToken;

use super::RecordedRun;
use crate::execute::Executors;
use crate::live::LiveHub;
use crate::store::{Store, StoreError};

/// Everything a driver needs from its process.
#[derive(Clone)]
pub struct DriveContext {
    /// The store that every event is appended to.
    pub store: Arc<dyn Store>,
    /// The executors that run steps, by step kind.
    pub executors: Executors,
    /// Receives text while it is written.
    pub live: LiveHub,
    /// Signals by which the process asks the run to stop.
    pub stop: StopSignals,
    /// The intervals and limits of this driver.
    pub options: DriveOptions,
}

/// Signals by which the driving process asks its run to stop; other processes send commands through the store.
#[derive(Debug, Clone, Default)]
pub struct StopSignals {
    /// Stop now and leave the run resumable.
    pub suspend: CancellationToken,
    /// The process exits: stop now, so that another process can continue.
    pub leave: CancellationToken,
    /// Ends the run as cancelled.
    pub cancel: CancellationToken,
}

/// Limits and intervals of a driver.
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Host and process of the driver, shown to people who find the run locked.
    pub owner: String,
    /// Program and version, for the journal.
    pub program: String,
    /// Maximum number of steps running at the same time.
    pub max_parallel: usize,
    /// How long a lease lasts unless renewed.
    pub lease_ttl: Duration,
    /// Interval at which commands from other processes are polled.
    pub command_poll: Duration,
    /// Time that a stopped step has to end by itself.
    pub grace: Duration,
    /// A provider limit that ends later than this parks the run; a shorter wait is an ordinary retry.
    pub park_from: Duration,
    /// The recording that the run follows, in place of the clock and of what arrives.
    pub recorded: Option<Arc<RecordedRun>>,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            owner: "this process".to_owned(),
            program: concat!("gemicro ", env!("CARGO_PKG_VERSION")).to_owned(),
            max_parallel: 8,
            lease_ttl: Duration::from_secs(10),
            command_poll: Duration::from_millis(250),
            grace: Duration::from_millis(1500),
            park_from: Duration::from_secs(5),
            recorded: None,
        }
    }
}

/// Why the driver stopped driving a run.
#[derive(Debug, Clone, PartialEq)]
pub enum DriveEnd {
    /// The run has its terminal event.
    Terminal(Box<Event>),
    /// The run was suspended and can be resumed.
    Suspended,
}

/// Driving stopped before the run ended; the journal has everything up to this point.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DriveError {
    /// The store reported an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something the store keeps is missing or could not be written; the run is suspended.
    #[error("{0}")]
    Halted(Failure),
    /// The journal has no first event: the store lost it.
    #[error("run {run} has an empty journal: the store is damaged")]
    EmptyJournal { run: String },
    /// The journal does not begin with `run_started`, or belongs to another flow.
    #[error("run {run} cannot be driven as {flow}: {message}")]
    NotThisFlow {
        run: String,
        /// The flow that tried to drive it.
        flow: &'static str,
        /// Why it does not fit.
        message: String,
    },
    /// A newer program started the run.
    #[error(
        "run {run} was started by {program} ({flow} flow version {found}), but this version of gemicro supports only \
         up to {known}"
    )]
    NewerFlow {
        run: String,
        /// The program that started it and can continue it.
        program: String,
        flow: String,
        /// The version it was started with.
        found: u32,
        /// The newest version this program knows.
        known: u32,
    },
    /// The frozen plan cannot be read.
    #[error("run {run} has a plan that cannot be read: {message}")]
    Plan {
        run: String,
        /// Why it cannot be read.
        message: String,
    },
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => error.into(),
            DriveError::Halted(failure) => failure,
            DriveError::EmptyJournal { .. } => Self::new(ErrorKind::StorageError, error.to_string()),
            DriveError::NewerFlow { .. } => Self::new(ErrorKind::Interrupted, error.to_string()),
            DriveError::NotThisFlow { .. } => Self::new(ErrorKind::InvalidInput, error.to_string()),
            DriveError::Plan { .. } => Self::new(ErrorKind::StorageError, error.to_string()),
        }
    }
}
