//! The contract of typed event payloads.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The typed details of one event kind. The type lives in the crate that emits it; its doc says when it
/// fires and who emits it.
pub trait Payload: Serialize + DeserializeOwned + JsonSchema {
    /// The kind's name on the wire.
    const EVENT_TYPE: &'static str;

    /// The sentence for people.
    fn message(&self) -> String;
}

/// An event cannot be read as the asked payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadReadError {
    /// It is an event of another kind.
    #[error("expected an event of type {expected}, got {actual}")]
    WrongType {
        /// The kind that was asked for.
        expected: &'static str,
        /// The kind it has.
        actual: String,
    },
    /// It is of that kind but has another shape.
    #[error("event {event_type} does not have the shape of its type: {message}")]
    SchemaMismatch {
        /// The event type whose shape it should have.
        event_type: String,
        /// What does not fit, and where.
        message: String,
    },
}
