//! What a program knows about research.

use gemicro_event::{Charge, Failure, Registry};

use super::{ResearchEngine, ResearchFlow, ResearchPlan, UseAs, events};
use crate::budget::Limits;
use crate::flow::{FlowDefinition, PlanFacts, ResultView};
use crate::offline::warm_up;

impl FlowDefinition for ResearchFlow {
    type Plan = ResearchPlan;

    fn register(&self, registry: &mut Registry) {
        events::register(registry);
    }

    fn facts(&self, plan: &ResearchPlan) -> PlanFacts {
        let llm = plan.engine.llm();
        let base = plan.base.as_ref();
        PlanFacts {
            title: plan.question.clone(),
            parent: base.map(|base| base.run.clone()),
            resubmits: base.is_some_and(|base| base.use_as == UseAs::Retry),
            backend: llm.map(|llm| llm.backend.clone()),
            models: llm.map(|llm| llm.model.clone()).into_iter().collect(),
            is_free: matches!(plan.engine, ResearchEngine::Offline { .. }),
            result: ResultView::Text { tool: "research" },
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &ResearchPlan, limits: &Limits) -> Result<(), Failure> {
        plan.check(limits)
    }

    fn held_back(&self, plan: &ResearchPlan, limits: &Limits) -> (Charge, u64) {
        plan.held_back(limits)
    }

    /// The language files are read while the first model call is on its way, not when findings wait for them.
    fn warm_up(&self) -> Option<fn()> {
        Some(warm_up)
    }
}
