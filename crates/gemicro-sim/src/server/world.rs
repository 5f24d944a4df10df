//! The state of a running simulator.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use super::log::RequestLog;
use super::rules::RuleCounters;
use crate::gemini::{InteractionStore, SimulatedModels};
use crate::openai::ResponseStore;
use crate::play::ReplyGates;
use crate::scenario::Scenario;

/// The state shared by all requests.
pub(crate) struct ServerWorld {
    pub(crate) scenario: Scenario,
    pub(crate) rules: RuleCounters,
    pub(crate) log: Arc<RequestLog>,
    pub(crate) gates: Arc<ReplyGates>,
    pub(crate) models: SimulatedModels,
    pub(crate) interactions: InteractionStore,
    pub(crate) responses: ResponseStore,
    /// Ends every wait: players, readers, hanging requests.
    pub(crate) shutdown: CancellationToken,
    n_ids: AtomicU64,
}

impl ServerWorld {
    pub(crate) fn new(scenario: Scenario) -> Self {
        Self {
            rules: RuleCounters::new(scenario.rules.len()),
            log: Arc::new(RequestLog::new()),
            gates: Arc::new(ReplyGates::new()),
            models: SimulatedModels::new(&scenario.models),
            interactions: InteractionStore::new(),
            responses: ResponseStore::new(),
            shutdown: CancellationToken::new(),
            n_ids: AtomicU64::new(0),
            scenario,
        }
    }

    /// Returns a unique number.
    pub(crate) fn next_id(&self) -> u64 {
        self.n_ids.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Resets everything except ids: log, stored data, gates and rule counters.
    pub(crate) fn reset(&self) {
        self.rules.reset();
        self.log.reset();
        self.gates.reset();
        self.interactions.reset();
        self.responses.reset();
    }
}
