//! Reading parameters: an error names the place inside them.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::pointer;

/// Parameters that do not fit their type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("/parameters{place}: {message}")]
pub struct ParameterError {
    /// Where in the parameters, as a JSON pointer.
    pub place: String,
    /// What does not fit.
    pub message: String,
}

impl ParameterError {
    pub(super) fn new(place: &str, message: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            message: message.into(),
        }
    }
}

/// Reads parameters as the type that they should have.
pub(super) fn read<P: DeserializeOwned>(parameters: &Value) -> Result<P, ParameterError> {
    serde_path_to_error::deserialize(parameters).map_err(|error| ParameterError {
        place: pointer(error.path()),
        message: error.into_inner().to_string(),
    })
}

/// A text that says something.
pub(super) fn require_text(text: &str, place: &str) -> Result<(), ParameterError> {
    if text.trim().is_empty() {
        return Err(ParameterError::new(place, "must not be empty"));
    }
    Ok(())
}

/// Seconds within bounds, in milliseconds.
pub(super) fn milliseconds(seconds: u64, most: u64, place: &str) -> Result<u64, ParameterError> {
    if !(1..=most).contains(&seconds) {
        let message = format!("between 1 and {most} seconds");
        return Err(ParameterError::new(place, message));
    }
    Ok(seconds * 1_000)
}
