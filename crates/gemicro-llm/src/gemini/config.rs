//! Settings of the Gemini API: address, key and retries.

use std::fmt;
use std::time::Duration;

/// Settings of [`GeminiBackend`](crate::GeminiBackend).
#[derive(Clone, PartialEq, Eq)]
pub struct GeminiConfig {
    /// Scheme and host, perhaps with a path before `/v1beta`.
    pub base_url: String,
    /// The key. It is only sent in a header.
    pub api_key: String,
    /// Time between two polls of background work.
    pub poll: Duration,
    /// Maximum number of times a broken stream is resumed.
    pub max_resumes: u32,
}

impl GeminiConfig {
    /// Google's own address.
    pub const BASE_URL: &'static str = "https://generativelanguage.googleapis.com";

    /// The default settings with this key.
    #[must_use]
    pub fn new(api_key: impl Into<String>) -> Self {
        Self {
            base_url: Self::BASE_URL.to_owned(),
            api_key: api_key.into(),
            poll: Duration::from_secs(5),
            max_resumes: 3,
        }
    }
}

impl fmt::Debug for GeminiConfig {
    /// Shows everything except the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiConfig")
            .field("base_url", &self.base_url)
            .field("poll", &self.poll)
            .field("max_resumes", &self.max_resumes)
            .finish_non_exhaustive()
    }
}
