//! Notifications about the runs of an engine: [`NotifySetup`].

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gemicro_notify::{Notifier, NotifySettings};
use gemicro_store::DurableStore;

use crate::resident::StartWorker;

/// Maximum time that a process waits at its end for deliveries.
const AT_THE_END: Duration = Duration::from_secs(3);

/// Where notifications go, and what delivers them after this process.
#[derive(Clone)]
pub struct NotifySetup {
    /// The destinations.
    pub settings: NotifySettings,
    /// Starts the background worker; `None` to leave undelivered notifications for the next process.
    pub start_worker: Option<StartWorker>,
}

/// The notifications of an engine; clones share them.
#[derive(Clone)]
pub(crate) struct Notifications {
    notifier: Arc<Notifier>,
    start_worker: Option<StartWorker>,
}

impl Notifications {
    pub(crate) fn new(setup: NotifySetup, store: &Arc<DurableStore>, home: &Path) -> Self {
        Self {
            notifier: Arc::new(Notifier::new(Arc::clone(store), home, setup.settings)),
            start_worker: setup.start_worker,
        }
    }

    /// Delivers in the background, from now on.
    pub(crate) async fn start(&self) {
        self.notifier.start().await;
    }

    pub(crate) fn has_pending(&self) -> bool {
        self.notifier.has_pending()
    }

    /// Delivers what is due for a short time; the background worker delivers the rest.
    pub(crate) async fn finish(&self) {
        let n_left = self.notifier.flush(AT_THE_END).await;
        if n_left > 0
            && let Some(start) = &self.start_worker
            && let Err(failure) = start().await
        {
            tracing::warn!(%failure, n_left, "notifications wait for the next start of gemicro");
        }
    }
}
