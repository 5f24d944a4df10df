//! The `prompt` flow's definition: events, plan facts and limit checks.

use gemicro_event::{Failure, Registry};

use super::{ModelTask, PromptFlow, register};
use crate::budget::Limits;
use crate::flow::{FlowDefinition, PlanFacts, check_price};

impl FlowDefinition for PromptFlow {
    type Plan = ModelTask;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &ModelTask) -> PlanFacts {
        PlanFacts {
            title: plan.title.clone(),
            parent: plan.conversation.clone(),
            backend: Some(plan.llm.backend.clone()),
            models: vec![plan.llm.model.clone()],
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &ModelTask, limits: &Limits) -> Result<(), Failure> {
        check_price(&plan.llm.model, limits)
    }
}
