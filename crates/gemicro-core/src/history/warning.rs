//! What a user should know about a prompt.

use serde::{Deserialize, Serialize};

use super::SummaryRefusal;

/// Something a prompt lacks, or will soon. The engine makes events of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "warning")]
#[non_exhaustive]
pub enum HistoryWarning {
    /// The conversation is long: replies will be slower.
    LongConversation {
        /// Tokens of the whole conversation.
        tokens: u64,
    },
    /// Turns were left out without a summary: there is nobody to write one, or not yet.
    NoSummary {
        /// The first of them.
        first: u64,
        /// The last of them.
        last: u64,
    },
    /// A summary was not taken; the turns were truncated instead.
    SummaryRefused {
        /// The first turn it stood for.
        first: u64,
        /// The last turn it stood for.
        last: u64,
        /// Why it was not used.
        refusal: SummaryRefusal,
    },
    /// The limit is so small that recognised rules or decisions are lost as well.
    DecisionsLost {
        /// How many rules and decisions are lost.
        count: usize,
    },
}
