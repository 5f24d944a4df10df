//! The state shared by all routes.

use std::sync::Arc;

use gemicro_engine::{Batches, RunService};
use gemicro_event::{ErrorKind, Failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::setup::HttpSetup;

/// Maximum number of long polls and event streams at the same time, so that connections stay free for short calls.
const MAX_WAITING: usize = 64;

/// The state shared by all routes.
pub(crate) struct App {
    /// The parts that the server was built from.
    pub(crate) setup: HttpSetup,
    /// Batches, on top of the run service.
    pub(crate) batches: Batches,
    pub(crate) metrics: Metrics,
    /// Cancelled when the server stops; waiting calls then return.
    pub(crate) shutdown: CancellationToken,
    /// The OpenAPI document, as JSON.
    pub(crate) document: String,
    waiting: Arc<Semaphore>,
}

/// The shared state, as routes hold it.
pub(crate) type SharedApp = Arc<App>;

impl App {
    pub(crate) fn new(setup: HttpSetup, document: String, shutdown: CancellationToken) -> SharedApp {
        Arc::new(Self {
            batches: Batches::new(setup.desk.clone()),
            metrics: Metrics::default(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            setup,
            document,
            shutdown,
        })
    }

    /// The service that carries out runs.
    pub(crate) fn desk(&self) -> &Arc<dyn RunService> {
        &self.setup.desk
    }

    /// Number of calls that are waiting now.
    pub(crate) fn n_waiting(&self) -> usize {
        MAX_WAITING - self.waiting.available_permits()
    }

    /// Reserves one of the limited places for a waiting call.
    ///
    /// # Errors
    /// `rate_limited` when all places are taken.
    pub(crate) fn place_to_wait(&self) -> Result<OwnedSemaphorePermit, Failure> {
        self.waiting.clone().try_acquire_owned().map_err(|_| {
            let message =
                format!("{MAX_WAITING} calls are already waiting: poll without waiting, or try again later");
            Failure {
                retry_after_ms: Some(1_000),
                ..Failure::new(ErrorKind::RateLimited, message)
            }
        })
    }
}
