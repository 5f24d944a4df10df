//! The background worker: serves calls until it is no longer needed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gemicro_core::queue::{ProviderLimit, StepQueue};
use gemicro_event::{Failure, Json};
use gemicro_steps::sweep_leftovers;
use gemicro_store::DurableStore;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use super::adopt::{adopt, try_again};
use super::call::serve;
use super::place::Lock;
use super::run_services::{BuildConfig, RunServices};
use super::wire::BinaryId;
use super::worker_state::WorkerState;
use crate::shared_resources::SharedResources;

/// Interval of the checks whether the worker is still needed.
const LOOK: Duration = Duration::from_secs(1);

/// The configuration of a worker.
#[derive(Clone)]
pub struct WorkerConfig {
    /// The state folder that the worker serves.
    pub home: PathBuf,
    /// The folder that allows only one worker: the state folder, or a separate one for each shared store.
    pub place: PathBuf,
    /// The address of the store; `None` for the one in the state folder.
    pub store: Option<String>,
    /// Provider limits for all workers of a shared store together; others stay unchanged.
    pub limits: Vec<ProviderLimit>,
    /// Program and version, for display.
    pub program: String,
    /// The build of the program.
    pub binary: BinaryId,
    /// Builds the configuration of an engine from a client's environment.
    pub build: BuildConfig,
    /// The environment of the worker itself, for interrupted runs.
    pub client_environment: Json,
    /// Idle time after the last call until it exits; `None` to stay forever.
    pub linger: Option<Duration>,
}

/// The only worker of a store, ready to be called.
pub struct ResidentWorker {
    place: PathBuf,
    lock: Lock,
    listener: UnixListener,
    house: Arc<WorkerState>,
    client_environment: Json,
    linger: Option<Duration>,
    /// Whether the store could not be read the last time.
    is_away: bool,
}

impl ResidentWorker {
    /// Becomes the worker of a store; `None` if there is one already.
    ///
    /// # Errors
    /// When the store cannot be opened or the environment cannot be used.
    pub async fn open(config: WorkerConfig) -> Result<Option<Self>, Failure> {
        let Some(lock) = Lock::take(&config.place)? else {
            return Ok(None);
        };
        let home = config.home.clone();
        let swept = tokio::task::spawn_blocking(move || sweep_leftovers(&home)).await;
        tracing::debug!(
            n_folders = swept.unwrap_or_default(),
            "what killed processes left is removed"
        );
        let store = Arc::new(DurableStore::at(&config.home, config.store.as_deref()).await?);
        for limit in config.limits {
            store.set_limit(limit).await?;
        }
        let resources = SharedResources::keeping_warm(&config.home);
        let desks = RunServices::new(store, resources, config.build);
        desks.of(&config.client_environment)?;
        let listener = lock.listen()?;
        Ok(Some(Self {
            place: config.place,
            lock,
            listener,
            house: Arc::new(WorkerState::new(desks, config.binary, config.program)),
            client_environment: config.client_environment,
            linger: config.linger,
            is_away: false,
        }))
    }

    /// Works until it is stopped or no longer needed. Its runs are left for the next worker.
    ///
    /// # Errors
    /// When it can no longer be called.
    pub async fn run(mut self, stop: CancellationToken) -> Result<(), Failure> {
        let (here, _) = self.house.desks.of(&self.client_environment)?;
        if let Err(failure) = adopt(&self.house, &here).await {
            tracing::warn!(%failure, "cannot look for waiting runs");
        }
        here.engine().start_notifying().await;
        let is_shared = self.house.desks.store().is_shared();
        let (own, queue_stop) = (here.engine().clone(), CancellationToken::new());
        let queue = tokio::spawn({
            let stop = queue_stop.clone();
            async move { own.work_on_queue(stop).await }
        });
        drop(here);
        let leave = self.house.leave.clone();
        let mut look = tokio::time::interval(LOOK);
        let result = loop {
            tokio::select! {
                () = stop.cancelled() => break Ok(()),
                () = leave.cancelled() => break Ok(()),
                accepted = self.listener.accept() => match accepted {
                    Ok((connection, _)) => self.take_call(connection),
                    // Out of file descriptors or similar: some will be closed soon.
                    Err(error) => {
                        tracing::warn!(%error, "a call was lost");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                _ = look.tick() => {
                    if self.linger.is_some_and(|linger| !self.house.is_needed(linger)) {
                        break Ok(());
                    }
                    // The next worker opens whatever store exists then.
                    if self.house.desks.store().is_removed() {
                        tracing::warn!("the store was deleted or replaced; the worker leaves");
                        break Ok(());
                    }
                    match self.keep_place() {
                        Ok(true) => {}
                        // Another worker has taken over and resumes the runs.
                        Ok(false) => break Ok(()),
                        // No client can call it, but its runs continue.
                        Err(failure) => tracing::warn!(%failure, "the worker's lock and socket cannot be created again"),
                    }
                    try_again(&self.house);
                    if is_shared {
                        self.look_for_runs().await;
                    }
                }
            }
        };
        if self.lock.is_in_place() {
            self.lock.close();
        }
        drop(self.listener);
        queue_stop.cancel();
        for here in self.house.desks.all() {
            here.leave_all().await;
        }
        let _ = queue.await;
        // Release work that was postponed until an answer.
        self.house.desks.commons().note_answer();
        self.house.desks.commons().close_warm().await;
        self.house.desks.store().close().await;
        result
    }

    /// Resumes runs of other machines whose worker died.
    async fn look_for_runs(&mut self) {
        let looked = match self.house.desks.of(&self.client_environment) {
            Ok((here, _)) => adopt(&self.house, &here).await,
            Err(failure) => Err(failure),
        };
        // Logged once, however long it lasts.
        match &looked {
            Err(failure) if !self.is_away => {
                tracing::warn!(%failure, "cannot look for waiting runs");
            }
            Ok(()) | Err(_) => {}
        }
        self.is_away = looked.is_err();
    }

    /// Recreates lock and socket if they were deleted; false if another worker was faster.
    fn keep_place(&mut self) -> Result<bool, Failure> {
        if !self.lock.is_in_place() {
            match Lock::take(&self.place)? {
                Some(lock) => self.lock = lock,
                None => return Ok(false),
            }
        }
        if !self.lock.has_socket() {
            self.listener = self.lock.listen()?;
        }
        Ok(true)
    }

    fn take_call(&self, connection: UnixStream) {
        let is_own = connection
            .peer_cred()
            .is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw());
        if !is_own {
            tracing::warn!("another user called");
            return;
        }
        let house = Arc::clone(&self.house);
        house.n_calls.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            if let Err(error) = serve(&house, connection).await {
                tracing::debug!(%error, "a call broke off");
            }
            house.n_calls.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
