//! The events of a gap ranking.

use gemicro_event::{Registry, Usage, event_payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rank::RankedGap;
use crate::coverage::Totals;

/// The gaps of a project were ranked. Once per run, with the completion of the step that read the reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapsRanked {
    /// Coverage totals.
    pub totals: Totals,
    /// Total number of gaps.
    pub n_gaps: u64,
    /// The gaps worth most, in rank order.
    pub gaps: Vec<RankedGap>,
    /// Problems in the reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
event_payload!(GapsRanked, "gaps_ranked", |it| match it.n_gaps {
    0 => format!("Coverage is {}; no gap is left", it.totals.percent_text()),
    1 => format!("Coverage is {}; there is 1 gap", it.totals.percent_text()),
    n => format!("Coverage is {}; there are {n} gaps", it.totals.percent_text()),
});

/// A model wrote its advice about the gaps. At most once per run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StrategyWritten {
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// The advice, in Markdown.
    pub text: String,
    /// Tokens that the provider reported for this call.
    pub usage: Usage,
}
event_payload!(StrategyWritten, "strategy_written", |it| format!(
    "{} wrote a strategy",
    it.model
));

/// Registers the events of strategies.
pub fn register(registry: &mut Registry) {
    registry.add::<GapsRanked>();
    registry.add::<StrategyWritten>();
}
