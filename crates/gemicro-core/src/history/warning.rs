//! Warnings about a prompt, for the user.

use serde::{Deserialize, Serialize};

use super::SummaryRefusal;

/// Something a prompt lacks, or will soon. The engine turns these into events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "warning")]
#[non_exhaustive]
pub enum HistoryWarning {
    /// The conversation is long: replies will be slower.
    LongConversation {
        /// Tokens of the whole conversation.
        tokens: u64,
    },
    /// Turns were left out without a summary: there is no summariser, or the summary is not ready.
    NoSummary {
        /// The first turn.
        first: u64,
        /// The last turn.
        last: u64,
    },
    /// A summary was refused; the turns were truncated instead.
    SummaryRefused {
        /// The first turn that it covered.
        first: u64,
        /// The last turn that it covered.
        last: u64,
        /// Why it was not used.
        refusal: SummaryRefusal,
    },
    /// The limit is so small that recognised rules or decisions are lost as well.
    DecisionsLost {
        /// Number of lost rules and decisions.
        count: usize,
    },
}
