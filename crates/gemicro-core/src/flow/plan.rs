//! Reads a run's plan from its first event.

use gemicro_event::{ErrorKind, Failure, Json};
use serde::de::DeserializeOwned;

/// Parses the plan into the type of its flow.
///
/// # Errors
/// When it cannot be parsed: it was written by a newer program, or is damaged.
pub fn read_plan<P: DeserializeOwned>(plan: &Json) -> Result<P, Failure> {
    plan.parse()
        .map_err(|error| Failure::new(ErrorKind::StorageError, error.to_string()))
}
