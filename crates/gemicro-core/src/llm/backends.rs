//! The backends of a process, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use gemicro_event::{ErrorKind, Failure};

use super::{BackendGate, GateConfig, LlmBackend};

/// The available backends by name; each has its own gate, shared by all runs.
#[derive(Clone, Default)]
pub struct Backends {
    by_name: BTreeMap<String, BackendAndGate>,
    /// Limits of backends that are added later.
    limits: BTreeMap<String, GateConfig>,
}

/// A backend and its gate.
#[derive(Clone)]
pub(super) struct BackendAndGate {
    pub(super) backend: Arc<dyn LlmBackend>,
    pub(super) gate: Arc<BackendGate>,
}

impl Backends {
    /// A single backend with this name.
    #[must_use]
    pub fn one(name: &str, backend: Arc<dyn LlmBackend>) -> Self {
        Self::default().with(name, backend, GateConfig::default())
    }

    /// Adds one; a second one of the same name replaces the first.
    #[must_use]
    pub fn with(mut self, name: &str, backend: Arc<dyn LlmBackend>, limits: GateConfig) -> Self {
        let gate = Arc::new(BackendGate::new(limits));
        self.by_name
            .insert(name.to_owned(), BackendAndGate { backend, gate });
        self
    }

    /// Sets the limits of a backend that is added elsewhere.
    #[must_use]
    pub fn with_limits(mut self, name: &str, limits: GateConfig) -> Self {
        self.limits.insert(name.to_owned(), limits);
        self
    }

    /// The limits that were set for a backend of this name.
    #[must_use]
    pub fn limits(&self, name: &str) -> Option<GateConfig> {
        self.limits.get(name).copied()
    }

    /// Whether there is a backend with this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Whether there are no backends.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The names of all backends.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> Result<&BackendAndGate, Failure> {
        self.by_name.get(name).ok_or_else(|| {
            let message = format!("the backend {name} is not set up here");
            Failure::new(ErrorKind::AuthFailed, message)
        })
    }
}

impl std::fmt::Debug for Backends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.by_name.keys()).finish()
    }
}
