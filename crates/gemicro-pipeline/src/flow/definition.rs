//! Registers pipelines: their events, plan facts and questions.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts, ResultView, check_price, refuse_secrets};
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Json, Registry};

use super::{PipelineFlow, means_something, register};
use crate::plan::PipelinePlan;

/// Error for a task that contains a key.
const KEY_IN_TASK: &str =
    "the task or its workflow contains what looks like an API key; remove it and try again";

impl FlowDefinition for PipelineFlow {
    type Plan = PipelinePlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &PipelinePlan) -> PlanFacts {
        PlanFacts {
            title: plan.task.clone(),
            parent: plan.earlier.as_ref().map(|earlier| earlier.run.clone()),
            agents: plan.agents().into_iter().collect(),
            result: ResultView::Text {
                tool: "pipeline_start",
            },
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &PipelinePlan, limits: &Limits) -> Result<(), Failure> {
        let model = plan.model.as_deref();
        model.map_or(Ok(()), |model| check_price(model, limits))
    }

    /// Returns the workflow's question for a gate.
    fn question(&self, plan: &PipelinePlan, key: &str) -> Option<String> {
        let (place, _) = key.split_once(":human")?;
        let (name, _) = place.rsplit_once('.')?;
        let phase = plan.workflow.phases.iter().find(|phase| phase.name == name)?;
        phase.human.clone()
    }

    fn accepts(&self, key: &str, answer: &Json) -> bool {
        means_something(key, answer)
    }

    fn without_secrets(&self, plan: PipelinePlan, redactor: &Redactor) -> Result<PipelinePlan, Failure> {
        refuse_secrets(&plan, redactor, KEY_IN_TASK).map(|()| plan)
    }
}
