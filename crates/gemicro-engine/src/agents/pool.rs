//! Warm processes between two turns.

use serde::{Deserialize, Serialize};

/// A warm process, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmStatus {
    /// The agent.
    pub agent: String,
    /// Where it works.
    pub directory: String,
    /// Its session.
    pub session: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// How long it has had nothing to do, in seconds.
    pub idle_s: u64,
}
