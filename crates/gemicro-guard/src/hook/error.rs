//! Requests that cannot be read or judged. Each is a denial.

use crate::policy::PolicyRule;

/// Why a request cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// Not JSON, or not of the expected form.
    #[error("the request is invalid: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The request did not arrive.
    #[error("the request could not be read: {0}")]
    Input(#[from] std::io::Error),
    /// The request is longer than any legitimate one.
    #[error("the request is longer than {limit} bytes")]
    TooLarge {
        /// Maximum number of bytes that are read.
        limit: u64,
    },
    /// The guard was started with unknown arguments.
    #[error("invalid arguments for the guard: {0}")]
    Arguments(String),
    /// The user's settings cannot be used, so it is unknown what the user allows.
    #[error("the guard's settings cannot be used: {0}")]
    Settings(String),
    /// A bug in the guard.
    #[error("the guard failed on this request")]
    Fault,
    /// A hook for something else.
    #[error("the request is for {found}, not for {expected}")]
    WrongEvent {
        /// The event that the hook was called for.
        found: String,
        /// The event that this format answers.
        expected: &'static str,
    },
    /// A field is missing or has another type.
    #[error("the request has no usable `{field}`; see `gemicro guard check --help`")]
    Field {
        /// The field as the request spells it.
        field: &'static str,
    },
}

impl HookError {
    /// The rule named in the denial.
    pub(super) fn rule(&self) -> PolicyRule {
        match self {
            Self::TooLarge { .. } => PolicyRule::TooLarge,
            Self::Unreadable(_)
            | Self::Input(_)
            | Self::Arguments(_)
            | Self::Settings(_)
            | Self::Fault
            | Self::WrongEvent { .. }
            | Self::Field { .. } => PolicyRule::Internal,
        }
    }
}
