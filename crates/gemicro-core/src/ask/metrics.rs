//! The metrics of a run of one task, for callers who request them.

use gemicro_event::{Event, StreamId, Uncertain, UnpricedTokens};
use serde::{Serialize, Serializer};

use super::events::AskReaders;
use super::{AgentTrouble, AskPlan};
use crate::models::ModelTable;
use crate::run::RunRow;
use crate::run::events::RunReaders;

/// Metrics of a run. Unknown values are null; a run that has not ended has the values so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolMetrics {
    /// Id of the run; absent if none was started.
    pub run_id: Option<StreamId>,
    /// The requested model; the agent's own choice is not known.
    pub model: Option<String>,
    /// The sandbox tier that the agent ran in.
    pub sandbox: Option<String>,
    /// `gateway` (tokens were counted and capped) or `observed` (as reported by the agent).
    pub access: Option<String>,
    /// From the first event to the last, in milliseconds.
    pub duration_ms: u64,
    /// Tokens read by the model in the attempt that answered.
    pub input_tokens: Option<u64>,
    /// Tokens written by it.
    pub output_tokens: Option<u64>,
    /// Tokens of `input_tokens` that came from a cache.
    pub cached_tokens: Option<u64>,
    /// Tokens of all attempts.
    pub total_tokens: u64,
    /// US dollars of all attempts; null if the model's price is unknown.
    #[serde(rename = "cost_usd", serialize_with = "dollars")]
    pub cost_micro_usd: Option<u64>,
    /// Tokens without a known price, by model; their cost is not in `cost_usd`.
    #[serde(skip_serializing_if = "UnpricedTokens::is_empty")]
    pub unpriced_models: UnpricedTokens,
    /// The part of `total_tokens` and of the cost that is an upper bound, from interrupted attempts.
    #[serde(skip_serializing_if = "Uncertain::is_none")]
    pub uncertain: Uncertain,
    /// Requests to the model that went through the gateway.
    pub n_requests: Option<u64>,
    /// Number of tool calls that the agent made.
    pub n_tool_calls: Option<u64>,
    /// Number of tool calls that were refused.
    pub n_refused: Option<u64>,
    /// Number of retries.
    pub retries: u64,
}

impl ToolMetrics {
    /// Reads them from the events of a run of one task, ended or not.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let first = events.first();
        let started = first.and_then(|event| event.update.as_run_started());
        let plan: Option<AskPlan> = started.and_then(|started| started.plan.parse().ok());
        let model = plan.and_then(|plan| plan.task.model);
        let answered = events
            .iter()
            .rev()
            .find_map(|event| event.update.as_agent_answered());
        let answer = answered.map(|answered| answered.answer);
        let usage = answer.as_ref().and_then(|answer| answer.usage);
        let spent = first.map(|first| {
            let mut row = RunRow::new(first.stream.clone(), None);
            events.iter().for_each(|event| row.fold(event));
            row.spent
        });
        let spent = spent.unwrap_or_default();
        let is_priced = model
            .as_deref()
            .is_some_and(|model| ModelTable::embedded().price(model).is_some());
        let (begun_at, last_at) = (first.map(time), events.last().map(time));
        let duration = begun_at.zip(last_at).map(|(begun, last)| last.since(begun));
        Self {
            run_id: first.map(|event| event.stream.clone()),
            model,
            sandbox: answer
                .as_ref()
                .map(|answer| answer.tier.clone())
                .or_else(|| tier_of_failure(events)),
            access: answer.as_ref().map(|answer| answer.access.clone()),
            duration_ms: duration.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            input_tokens: usage.map(|usage| usage.input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            cached_tokens: usage.map(|usage| usage.cached_tokens),
            total_tokens: spent.tokens.max(usage.map_or(0, |usage| usage.total_tokens())),
            cost_micro_usd: (is_priced || spent.micro_usd > 0).then_some(spent.micro_usd),
            unpriced_models: spent.unpriced_models,
            uncertain: spent.uncertain,
            n_requests: answer.as_ref().map(|answer| answer.n_requests),
            n_tool_calls: answer.as_ref().map(|answer| answer.n_tool_calls),
            n_refused: answer.as_ref().map(|answer| answer.n_refused),
            retries: n_retries(events),
        }
    }
}

fn time(event: &Event) -> gemicro_event::Timestamp {
    event.update.timestamp
}

fn tier_of_failure(events: &[Event]) -> Option<String> {
    let failed = events.last()?.update.as_run_failed()?;
    AgentTrouble::of(&failed.error).tier
}

fn n_retries(events: &[Event]) -> u64 {
    let retrying = events
        .iter()
        .filter(|event| event.update.event_type == "step_retrying");
    u64::try_from(retrying.count()).unwrap_or(u64::MAX)
}

fn dollars<S: Serializer>(micro_usd: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    micro_usd
        .map(|micro_usd| micro_usd as f64 / 1_000_000.0)
        .serialize(serializer)
}
