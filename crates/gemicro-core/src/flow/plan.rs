//! Reading a run's plan back out of its first event.

use gemicro_event::{ErrorKind, Failure, Json};
use serde::de::DeserializeOwned;

/// The plan as its flow knows it.
///
/// # Errors
/// When it is none: it was written by a newer program, or damaged.
pub fn read_plan<P: DeserializeOwned>(plan: &Json) -> Result<P, Failure> {
    plan.parse()
        .map_err(|error| Failure::new(ErrorKind::StorageError, error.to_string()))
}
