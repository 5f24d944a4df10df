//! Renders a ranking as text, and builds the prompt for the model that writes advice.

use gemicro_core::budget::Purpose;
use gemicro_core::flow::Step;
use gemicro_core::llm::{LlmRequest, llm_step};
use gemicro_core::template::fill;
use gemicro_event::StepKey;

use super::events::GapsRanked;
use super::plan::Prose;
use super::rank::RankedGap;

/// The ranking as text, without a model.
pub(super) fn plain(ranked: &GapsRanked) -> String {
    let totals = ranked.totals;
    let n_gaps = match ranked.n_gaps {
        1 => "1 gap".to_owned(),
        n => format!("{n} gaps"),
    };
    let head = format!(
        "{} of {} lines are covered; {n_gaps}.\n",
        totals.percent_text(),
        totals.lines,
    );
    head + &number_gaps(&ranked.gaps)
}

/// Gaps as a numbered list.
pub(super) fn number_gaps(gaps: &[RankedGap]) -> String {
    let line = |(idx, it): (usize, &RankedGap)| {
        format!("{}. {}: {}\n", idx + 1, it.gap.name(), it.reasons.join("; "))
    };
    gaps.iter().enumerate().map(line).collect()
}

/// The step that writes the advice.
pub(super) fn step(key: StepKey, prose: &Prose, ranked: &GapsRanked) -> Step {
    let totals = ranked.totals;
    let summary = format!(
        "{} of {} lines are covered ({}), {} of {} functions.",
        totals.covered,
        totals.lines,
        totals.percent_text(),
        totals.functions_covered,
        totals.functions
    );
    let gaps = number_gaps(&ranked.gaps);
    let values = [
        ("summary", summary.as_str()),
        ("gaps", gaps.as_str()),
        ("context", prose.context.as_str()),
    ];
    let request = LlmRequest {
        system: Some(prose.system.clone()),
        ..LlmRequest::new("strategy", fill(&prose.prompt, &values), &prose.llm)
    };
    llm_step(key, &request, Purpose::Last, &prose.llm)
}
