//! An update: one fact that an agent reports, as JSON with a typed reader.

use serde::{Deserialize, Serialize};

use crate::{Json, Payload, PayloadReadError, Timestamp};

/// A fact: its kind, a message for people, its time, and the details as JSON.
///
/// `event_type` gives it its meaning; readers ignore kinds and fields they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentUpdate {
    /// The event kind, in the past tense: `sub_query_completed`.
    pub event_type: String,
    /// One sentence for people.
    pub message: String,
    /// When it happened, by the clock of the machine that recorded it.
    pub timestamp: Timestamp,
    /// The details; each kind has its own fields.
    pub data: Json,
}

impl AgentUpdate {
    /// Makes an update from a typed payload.
    #[must_use]
    pub fn new<P: Payload>(payload: &P, at: Timestamp) -> Self {
        Self {
            event_type: P::EVENT_TYPE.to_owned(),
            message: payload.message(),
            timestamp: at,
            data: Json::of(payload).expect("payload types have string keys only, so they always serialise"),
        }
    }

    /// The payload, if this is an event of that kind with valid data.
    #[must_use]
    pub fn as_payload<P: Payload>(&self) -> Option<P> {
        self.try_as_payload().ok()
    }

    /// The payload, or why it cannot be read.
    ///
    /// # Errors
    /// [`PayloadReadError::WrongType`] for another kind, [`PayloadReadError::SchemaMismatch`] for invalid data.
    pub fn try_as_payload<P: Payload>(&self) -> Result<P, PayloadReadError> {
        if self.event_type != P::EVENT_TYPE {
            return Err(PayloadReadError::WrongType {
                expected: P::EVENT_TYPE,
                actual: self.event_type.clone(),
            });
        }
        self.data
            .parse()
            .map_err(|error| PayloadReadError::SchemaMismatch {
                event_type: self.event_type.clone(),
                message: error.to_string(),
            })
    }
}
