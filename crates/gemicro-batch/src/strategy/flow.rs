//! The flow of `propose_strategy`: rank the gaps, then let a model write advice if requested.

use gemicro_core::flow::{Decision, Flow, Outcome, Step, StepEnd, read_plan};
use gemicro_core::llm::LlmResponse;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_core::run::events::StepFailed;
use gemicro_event::{AgentUpdate, Event, Failure, Json, StepKey, Timestamp, event_enum};
use serde_json::json;

use super::events::{GapsRanked, StrategyWritten};
use super::executor::{GAPS_STEP, GapsOutput};
use super::plan::StrategyPlan;
use super::prose;

const RANK: &str = "rank";
const WRITE: &str = "write";

event_enum! {
    /// The events that a ranking reads from its journal.
    enum StrategyEvent {
        read: GapsRanked, StrategyWritten, StepFailed;
    }
}

/// The flow of runs that rank gaps.
#[derive(Debug, Clone, Copy, Default)]
pub struct StrategyFlow;

/// The state of a ranking.
#[derive(Debug)]
pub struct StrategyState {
    plan: StrategyPlan,
    ranked: Option<GapsRanked>,
    written: Option<StrategyWritten>,
    /// Why there is no ranking.
    failed: Option<Failure>,
    /// Why there is no advice; the ranking is valid without it.
    not_written: Option<Failure>,
}

impl Flow for StrategyFlow {
    type State = StrategyState;

    fn name(&self) -> &'static str {
        "strategy"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<StrategyState, Failure> {
        Ok(StrategyState {
            plan: read_plan(plan)?,
            ranked: None,
            written: None,
            failed: None,
            not_written: None,
        })
    }

    fn fold(&self, state: &mut StrategyState, event: &Event) {
        match StrategyEvent::of(&event.update) {
            StrategyEvent::GapsRanked(ranked) => state.ranked = Some(*ranked),
            StrategyEvent::StrategyWritten(written) => state.written = Some(*written),
            StrategyEvent::StepFailed(failed) => match failed.step.as_str() {
                WRITE => state.not_written = Some(failed.error),
                _ => state.failed = Some(failed.error),
            },
            StrategyEvent::Unknown => {}
        }
    }

    fn decide(&self, state: &StrategyState, run: &RunState) -> Decision {
        if let Some(failure) = &state.failed {
            return Decision::end(Outcome::Failed(failure.clone()));
        }
        let Some(ranked) = &state.ranked else {
            return Decision::step(rank_step(&state.plan));
        };
        match &state.plan.prose {
            Some(prose) if state.written.is_none() && state.not_written.is_none() && ranked.n_gaps > 0 => {
                Decision::step(prose::step(StepKey::new(WRITE), prose, ranked))
            }
            Some(_) | None => Decision::end(result(state, ranked, run)),
        }
    }

    fn announce(&self, _state: &StrategyState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, state: &StrategyState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(done) = end else {
            return Vec::new();
        };
        if step.kind == GAPS_STEP {
            let Ok(output) = done.output.parse::<GapsOutput>() else {
                return Vec::new();
            };
            let ranked = GapsRanked {
                totals: output.totals,
                n_gaps: output.n_gaps,
                gaps: output.gaps,
                warnings: output.warnings,
            };
            return vec![AgentUpdate::new(&ranked, at)];
        }
        let Ok(response) = done.output.parse::<LlmResponse>() else {
            return Vec::new();
        };
        let model = state.plan.prose.as_ref().map(|prose| prose.llm.model.clone());
        let written = StrategyWritten {
            model: model.unwrap_or_default(),
            text: response.text,
            usage: response.usage,
        };
        vec![AgentUpdate::new(&written, at)]
    }
}

fn rank_step(plan: &StrategyPlan) -> Step {
    Step::free(StepKey::new(RANK), GAPS_STEP, &plan.gaps)
}

fn result(state: &StrategyState, ranked: &GapsRanked, run: &RunState) -> Outcome {
    let plain = prose::plain(ranked);
    let strategy = state
        .written
        .as_ref()
        .map_or(plain.as_str(), |written| &written.text);
    let mut warnings = ranked.warnings.clone();
    warnings.extend(
        state
            .not_written
            .as_ref()
            .map(|failure| format!("no model wrote about it: {}", failure.message)),
    );
    Outcome::Completed {
        message: match (ranked.n_gaps, ranked.gaps.len()) {
            (0, _) => "No gap is left".to_owned(),
            (_, 1) => "1 gap ranked".to_owned(),
            (_, n) => format!("{n} gaps ranked"),
        },
        data: Json::from(json!({
            "answer": strategy,
            "strategy": strategy,
            "gaps": ranked.gaps,
            "n_gaps": ranked.n_gaps,
            "summary": {
                "lines": ranked.totals.lines,
                "covered": ranked.totals.covered,
                "percent": (ranked.totals.percent() * 100.0).round() / 100.0,
            },
            "warnings": warnings,
            "model": state.written.as_ref().map(|written| written.model.clone()),
            "metadata": ResultMetadata::of(run),
        })),
    }
}
