//! Registers merge queues: their plan facts and the check for secrets.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts, refuse_secrets};
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Registry};

use crate::flow::MergeFlow;
use crate::plan::MergePlan;

impl FlowDefinition for MergeFlow {
    type Plan = MergePlan;

    /// It has no events of its own: the results of its steps say everything.
    fn register(&self, _registry: &mut Registry) {}

    fn facts(&self, plan: &MergePlan) -> PlanFacts {
        let n_branches = plan.branches.len();
        let branches = if n_branches == 1 { "branch" } else { "branches" };
        PlanFacts {
            title: format!("merge {n_branches} {branches} into {}", plan.into),
            is_free: true,
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, _plan: &MergePlan, _limits: &Limits) -> Result<(), Failure> {
        Ok(())
    }

    fn without_secrets(&self, plan: MergePlan, redactor: &Redactor) -> Result<MergePlan, Failure> {
        const WHY: &str =
            "the checks of the workflow contain what looks like an API key; remove it and try again";
        refuse_secrets(&plan, redactor, WHY).map(|()| plan)
    }
}
