//! Requests that cannot be read. Each is a denial.

/// Why a request cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// Not JSON, or not of the expected form.
    #[error("the request is not readable")]
    Unreadable(#[from] serde_json::Error),
    /// A hook for something else.
    #[error("the request is for {found}, not for {expected}")]
    WrongEvent {
        /// What the hook was called for.
        found: String,
        /// What this format answers.
        expected: &'static str,
    },
    /// A field is missing or of another type.
    #[error("the request has no usable `{field}`")]
    Field {
        /// The field's name.
        field: &'static str,
    },
}
