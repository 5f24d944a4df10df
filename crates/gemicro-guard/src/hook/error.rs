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
    /// The request is longer than anything an agent has to ask.
    #[error("the request is longer than {limit} bytes")]
    TooLarge {
        /// The most that is read.
        limit: u64,
    },
    /// The guard was started with other arguments than it knows.
    #[error("the guard was started with invalid arguments: {0}")]
    Arguments(String),
    /// The user's settings cannot be used, so nobody knows what the user allows.
    #[error("the guard's settings cannot be used: {0}")]
    Settings(String),
    /// A defect of the guard.
    #[error("the guard failed on this request")]
    Fault,
    /// A hook for something else.
    #[error("the request is for {found}, not for {expected}")]
    WrongEvent {
        /// What the hook was called for.
        found: String,
        /// What this format answers.
        expected: &'static str,
    },
    /// A field is missing or of another type.
    #[error("the request has no usable `{field}`; see `gemicro guard check --help`")]
    Field {
        /// The field as the request spells it.
        field: &'static str,
    },
}

impl HookError {
    /// The rule that the denial names.
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
