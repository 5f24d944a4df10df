//! The known event kinds, with the JSON Schema of each.
//!
//! Every crate that emits events has a function `register(&mut Registry)`; the engine calls them all at start.
//! Unknown kinds are always allowed; the registry is for documentation and for validation at the boundaries.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Payload;

/// An event type and its schema.
#[derive(Debug, Clone)]
pub struct EventKind {
    /// Its name on the wire.
    pub event_type: &'static str,
    /// JSON Schema of its `data`.
    pub schema: fn() -> Value,
    reads: fn(&crate::Json) -> Result<(), String>,
}

/// The event kinds that this program knows.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    kinds: BTreeMap<&'static str, EventKind>,
}

/// The data of an event does not match its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {event_type} has invalid data: {message}")]
pub struct RegistryError {
    /// The event type that it should match.
    pub event_type: String,
    /// The mismatch.
    pub message: String,
}

impl Registry {
    /// Adds a kind; adding one twice is harmless.
    pub fn add<P: Payload>(&mut self) {
        let kind = EventKind {
            event_type: P::EVENT_TYPE,
            schema: schema_of::<P>,
            reads: reads::<P>,
        };
        self.kinds.insert(P::EVENT_TYPE, kind);
    }

    /// All kinds, by name.
    pub fn kinds(&self) -> impl Iterator<Item = &EventKind> {
        self.kinds.values()
    }

    /// Whether this program knows the kind.
    #[must_use]
    pub fn knows(&self, event_type: &str) -> bool {
        self.kinds.contains_key(event_type)
    }

    /// Checks that the data of a known event matches its kind; unknown kinds pass.
    ///
    /// # Errors
    /// When the data cannot be read as the kind's payload.
    pub fn check(&self, update: &crate::AgentUpdate) -> Result<(), RegistryError> {
        let Some(kind) = self.kinds.get(update.event_type.as_str()) else {
            tracing::debug!(
                event_type = update.event_type,
                "unknown event type passed through"
            );
            return Ok(());
        };
        (kind.reads)(&update.data).map_err(|message| RegistryError {
            event_type: update.event_type.clone(),
            message,
        })
    }
}

fn schema_of<P: Payload>() -> Value {
    schemars::schema_for!(P).to_value()
}

fn reads<P: Payload>(data: &crate::Json) -> Result<(), String> {
    data.parse::<P>().map(drop).map_err(|error| error.to_string())
}
