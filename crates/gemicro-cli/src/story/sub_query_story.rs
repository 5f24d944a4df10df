//! A sub-query as `gemicro show` shows it.

use gemicro_event::ErrorKind;
use serde::Serialize;

/// A sub-query and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SubQueryStory {
    pub(crate) query: String,
    /// Number of sources of its answer; `None` without an answer.
    pub(crate) n_sources: Option<usize>,
    pub(crate) tokens: u64,
    /// Why there is no answer.
    pub(crate) error: Option<String>,
    /// The error kind, for programs.
    pub(crate) error_kind: Option<ErrorKind>,
}

impl SubQueryStory {
    /// A sub-query that has no answer yet.
    pub(super) fn new(query: String) -> Self {
        Self {
            query,
            n_sources: None,
            tokens: 0,
            error: None,
            error_kind: None,
        }
    }
}
