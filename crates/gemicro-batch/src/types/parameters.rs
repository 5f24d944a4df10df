//! Parses the parameters of tasks; errors give the position.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::pointer;

/// Parameters that do not match their type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("/parameters{place}: {message}")]
pub struct ParameterError {
    /// JSON pointer in the parameters.
    pub place: String,
    /// The problem.
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

/// Parses parameters as the given type.
pub(super) fn read<P: DeserializeOwned>(parameters: &Value) -> Result<P, ParameterError> {
    serde_path_to_error::deserialize(parameters).map_err(|error| ParameterError {
        place: pointer(error.path()),
        message: error.into_inner().to_string(),
    })
}

/// Checks that a text is not blank.
pub(super) fn require_text(text: &str, place: &str) -> Result<(), ParameterError> {
    if text.trim().is_empty() {
        return Err(ParameterError::new(place, "must not be empty"));
    }
    Ok(())
}

/// Checks the range of a number of seconds and converts it to milliseconds.
pub(super) fn milliseconds(seconds: u64, most: u64, place: &str) -> Result<u64, ParameterError> {
    if !(1..=most).contains(&seconds) {
        let message = format!("between 1 and {most} seconds");
        return Err(ParameterError::new(place, message));
    }
    Ok(seconds * 1_000)
}
