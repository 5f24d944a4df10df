//! Engines by client environment, over one store: each client's runs use that client's keys and settings.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemicro_agents::SharedAgentResources;
use gemicro_event::{Failure, Json, StreamId};
use gemicro_store::DurableStore;

use crate::engine::Engine;
use crate::engine_config::EngineConfig;
use crate::local_run_service::LocalRunService;
use crate::shared_resources::SharedResources;

/// Makes the configuration of an engine from a client's environment.
pub type BuildConfig = Arc<dyn Fn(&Json) -> Result<EngineConfig, Failure> + Send + Sync>;

/// Number of engines above which idle ones are dropped.
const MAX_IDLE: usize = 8;

/// All engines of a worker.
pub(super) struct RunServices {
    store: Arc<DurableStore>,
    resources: SharedResources,
    build: BuildConfig,
    by_environment: Mutex<HashMap<String, LocalRunService>>,
    /// Runs that are being resumed.
    claimed: Mutex<HashSet<StreamId>>,
}

impl RunServices {
    pub(super) fn new(store: Arc<DurableStore>, resources: SharedResources, build: BuildConfig) -> Self {
        Self {
            store,
            resources,
            build,
            by_environment: Mutex::default(),
            claimed: Mutex::default(),
        }
    }

    pub(super) fn store(&self) -> &Arc<DurableStore> {
        &self.store
    }

    pub(super) fn commons(&self) -> &SharedAgentResources {
        &self.resources.agents
    }

    /// The run service for this environment, and whether it is new.
    pub(super) fn of(&self, client_environment: &Json) -> Result<(LocalRunService, bool), Failure> {
        let text = client_environment.text().to_owned();
        if let Some(here) = self.lock().get(&text) {
            return Ok((here.clone(), false));
        }
        let config = EngineConfig {
            resident: true,
            ..(self.build)(client_environment)?
        };
        let here = LocalRunService::new(Engine::over(
            Arc::clone(&self.store),
            config,
            self.resources.clone(),
        ));
        let mut desks = self.lock();
        while desks.len() >= MAX_IDLE {
            let Some(idle) = desks.iter().find(|(_, here)| here.is_idle()) else {
                break;
            };
            let idle = idle.0.clone();
            desks.remove(&idle);
        }
        // Another call may have been faster.
        let here = desks.entry(text).or_insert(here).clone();
        Ok((here, true))
    }

    /// Any run service; each can read the store.
    pub(super) fn any(&self) -> Option<LocalRunService> {
        self.lock().values().next().cloned()
    }

    /// The run service that drives a run.
    pub(super) fn desk_of_run(&self, run: &StreamId) -> Option<LocalRunService> {
        let desks = self.lock();
        desks.values().find(|here| here.carries(run)).cloned()
    }

    /// Claims a run for resuming; false if it is already claimed or driven.
    pub(super) fn claim(&self, run: &StreamId) -> bool {
        self.desk_of_run(run).is_none() && self.claims().insert(run.clone())
    }

    pub(super) fn unclaim(&self, run: &StreamId) {
        self.claims().remove(run);
    }

    fn claims(&self) -> MutexGuard<'_, HashSet<StreamId>> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The problem that blocks a run now, as known to its run service.
    pub(super) fn trouble(&self, run: &StreamId) -> Option<Failure> {
        self.all().iter().find_map(|here| here.troubles().of(run))
    }

    pub(super) fn all(&self) -> Vec<LocalRunService> {
        self.lock().values().cloned().collect()
    }

    /// The runs that are being driven.
    pub(super) fn runs(&self) -> Vec<StreamId> {
        self.all().iter().flat_map(LocalRunService::runs).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, LocalRunService>> {
        self.by_environment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
