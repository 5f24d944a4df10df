//! The first event of a run of a plan.

use gemicro_batch::flow::BatchFlow;
use gemicro_batch::ooda::OodaFlow;
use gemicro_batch::proposal::ProposalFlow;
use gemicro_batch::strategy::StrategyFlow;
use gemicro_core::ask::AskFlow;
use gemicro_core::budget::Limits;
use gemicro_core::flow::Flow;
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::{ResearchFlow, UseAs};
use gemicro_core::run::events::RunStarted;
use gemicro_event::{Charge, Json};
use gemicro_pipeline::flow::PipelineFlow;
use serde::Serialize;

use crate::Plan;

impl Plan {
    /// The first event of a run of this plan.
    pub(crate) fn started(&self, program: &str) -> RunStarted {
        let started = match self {
            Self::Research { plan, limits } => {
                let (held_back, held_back_ms) = plan.held_back(limits);
                RunStarted {
                    held_back,
                    held_back_ms,
                    resubmits: plan.base.as_ref().is_some_and(|base| base.use_as == UseAs::Retry),
                    ..plain(&ResearchFlow, &plan.question, plan, limits)
                }
            }
            Self::Ask { plan, limits } => plain(&AskFlow, &plan.task.prompt, plan, limits),
            Self::Prompt { plan, limits } => plain(&PromptFlow, &plan.title, plan, limits),
            Self::Batch { plan, limits } => RunStarted {
                resubmits: plan.retries.is_some(),
                ..plain(&BatchFlow, &plan.title(), plan, limits)
            },
            Self::TestProposal { plan, limits } => {
                let title = format!("a test for {}", plan.material.target);
                plain(&ProposalFlow, &title, plan, limits)
            }
            Self::Strategy { plan, limits } => plain(&StrategyFlow, "the gaps of the tests", plan, limits),
            Self::Ooda { plan, limits } => {
                let title = format!("coverage to {} % on {}", plan.target, plan.branch);
                plain(&OodaFlow, &title, plan, limits)
            }
            Self::Pipeline { plan, limits } => plain(&PipelineFlow, &plan.task, plan, limits),
        };
        RunStarted {
            program: program.to_owned(),
            ..started
        }
    }
}

/// The first event of a run that holds nothing of its budget back; its title is the first line of a text.
fn plain(flow: &impl Flow, text: &str, plan: &impl Serialize, limits: &Limits) -> RunStarted {
    RunStarted {
        flow: flow.name().to_owned(),
        flow_version: flow.version(),
        program: String::new(),
        title: text.trim().lines().next().unwrap_or_default().to_owned(),
        plan: Json::of(plan).expect("a plan has string keys only"),
        limits: *limits,
        held_back: Charge::ZERO,
        held_back_ms: 0,
        resident: false,
        carrier: None,
        resubmits: false,
        part_of_parent: false,
        day: None,
    }
}
