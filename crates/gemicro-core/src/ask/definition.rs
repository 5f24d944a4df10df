//! The `ask` flow's definition: events, plan facts and limit checks.

use gemicro_event::{Failure, Registry};

use super::{AskFlow, AskPlan, register};
use crate::budget::Limits;
use crate::flow::{FlowDefinition, PlanFacts, ResultView, check_price};

impl FlowDefinition for AskFlow {
    type Plan = AskPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &AskPlan) -> PlanFacts {
        let task = &plan.task;
        let tasks = std::iter::once(task).chain(&plan.fallback);
        PlanFacts {
            title: task.prompt.clone(),
            parent: plan.conversation.clone(),
            agents: vec![task.agent],
            models: tasks.filter_map(|task| task.model.clone()).collect(),
            result: ResultView::Agent {
                agent: task.agent,
                limits: (task.idle_ms, task.total_ms),
                all_messages: task.keep_messages,
            },
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &AskPlan, limits: &Limits) -> Result<(), Failure> {
        let model = plan.task.model.as_deref();
        model.map_or(Ok(()), |model| check_price(model, limits))
    }
}
