//! Registers the batch flow with the program.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts, ResultView};
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Registry};

use super::{BatchFlow, BatchPlan, register};

impl FlowDefinition for BatchFlow {
    type Plan = BatchPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &BatchPlan) -> PlanFacts {
        PlanFacts {
            title: plan.title(),
            parent: plan.retries.clone(),
            resubmits: plan.retries.is_some(),
            result: ResultView::Polled { tool: "batch_poll" },
            ..PlanFacts::default()
        }
    }

    /// Limits are checked for each task, with its share.
    fn check_limits(&self, _plan: &BatchPlan, _limits: &Limits) -> Result<(), Failure> {
        Ok(())
    }

    fn without_secrets(&self, plan: BatchPlan, redactor: &Redactor) -> Result<BatchPlan, Failure> {
        plan.without_secrets(redactor)
    }

    fn has_board(&self) -> bool {
        true
    }
}
