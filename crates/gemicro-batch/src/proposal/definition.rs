//! Registers the flow for test proposals with the program.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts, check_price};
use gemicro_event::{Failure, Registry};

use super::{ProposalFlow, ProposalPlan, register};

impl FlowDefinition for ProposalFlow {
    type Plan = ProposalPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &ProposalPlan) -> PlanFacts {
        PlanFacts {
            title: format!("a test for {}", plan.material.target),
            backend: Some(plan.llm.backend.clone()),
            models: vec![plan.llm.model.clone()],
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &ProposalPlan, limits: &Limits) -> Result<(), Failure> {
        check_price(&plan.llm.model, limits)
    }
}
