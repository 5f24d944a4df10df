//! The trait of typed event payloads.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The typed data of one event kind. The type is in the crate that emits it; its doc says when it is emitted and by
/// whom.
pub trait Payload: Serialize + DeserializeOwned + JsonSchema {
    /// The name of the event kind on the wire.
    const EVENT_TYPE: &'static str;

    /// The message for people.
    fn message(&self) -> String;
}

/// An event cannot be read as the requested payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadReadError {
    /// It is an event of another kind.
    #[error("expected an event of type {expected}, got {actual}")]
    WrongType {
        /// The kind that was asked for.
        expected: &'static str,
        /// The kind that the event has.
        actual: String,
    },
    /// It is of that kind but its data does not match.
    #[error("event {event_type} has invalid data: {message}")]
    SchemaMismatch {
        /// The event type that it should match.
        event_type: String,
        /// The mismatch and its position.
        message: String,
    },
}
