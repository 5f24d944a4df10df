//! Registers the flow for gap rankings with the program.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts};
use gemicro_event::{Failure, Registry};

use super::{StrategyFlow, StrategyPlan, register};

impl FlowDefinition for StrategyFlow {
    type Plan = StrategyPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    /// No backend is required: the ranking works without a model.
    fn facts(&self, plan: &StrategyPlan) -> PlanFacts {
        let prose = plan.prose.iter();
        PlanFacts {
            title: "the gaps of the tests".to_owned(),
            models: prose.map(|prose| prose.llm.model.clone()).collect(),
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, _plan: &StrategyPlan, _limits: &Limits) -> Result<(), Failure> {
        Ok(())
    }
}
