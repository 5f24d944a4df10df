//! What every route works with.

use std::sync::Arc;

use gemicro_engine::{Batches, RunService};
use gemicro_event::{ErrorKind, Failure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::setup::HttpSetup;

/// Long polls and streams of events at the same time; the other connections stay free for short calls.
const MAX_WAITING: usize = 64;

/// What every route works with.
pub(crate) struct App {
    /// What the server was made of.
    pub(crate) setup: HttpSetup,
    /// Batches over its desk.
    pub(crate) batches: Batches,
    pub(crate) metrics: Metrics,
    /// Falls when the server stops: whatever waits then answers.
    pub(crate) shutdown: CancellationToken,
    /// The OpenAPI document, as JSON.
    pub(crate) document: String,
    waiting: Arc<Semaphore>,
}

/// The app, as routes hold it.
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

    /// Where runs are carried out.
    pub(crate) fn desk(&self) -> &Arc<dyn RunService> {
        &self.setup.desk
    }

    /// Calls that wait now.
    pub(crate) fn n_waiting(&self) -> usize {
        MAX_WAITING - self.waiting.available_permits()
    }

    /// A place for a call that waits.
    ///
    /// # Errors
    /// `rate_limited` when all are taken.
    pub(crate) fn place_to_wait(&self) -> Result<OwnedSemaphorePermit, Failure> {
        self.waiting.clone().try_acquire_owned().map_err(|_| {
            let message =
                format!("{MAX_WAITING} calls wait already: poll without waiting, or try again later");
            Failure {
                retry_after_ms: Some(1_000),
                ..Failure::new(ErrorKind::RateLimited, message)
            }
        })
    }
}
