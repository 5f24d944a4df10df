//! What a program knows about rankings of gaps.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts};
use gemicro_event::{Failure, Registry};

use super::{StrategyFlow, StrategyPlan, register};

impl FlowDefinition for StrategyFlow {
    type Plan = StrategyPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    /// Without a backend it ranks all the same.
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
