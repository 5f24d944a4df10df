//! The list of all flows. Everything else about a flow is in its own folder ([`FlowDefinition`]).
//!
//! [`FlowDefinition`]: gemicro_core::flow::FlowDefinition

use gemicro_batch::flow::BatchFlow;
use gemicro_batch::ooda::OodaFlow;
use gemicro_batch::proposal::ProposalFlow;
use gemicro_batch::strategy::StrategyFlow;
use gemicro_core::ask::AskFlow;
use gemicro_core::drive::AnyFlow;
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::ResearchFlow;
use gemicro_core::run::RunRow;
use gemicro_event::Registry;
use gemicro_merge::MergeFlow;
use gemicro_pipeline::flow::PipelineFlow;

/// The built-in flows.
pub const FLOWS: [&dyn AnyFlow; 9] = [
    &ResearchFlow,
    &AskFlow,
    &PromptFlow,
    &BatchFlow,
    &ProposalFlow,
    &StrategyFlow,
    &OodaFlow,
    &PipelineFlow,
    &MergeFlow,
];

/// The flow with this name.
#[must_use]
pub fn flow_named(name: &str) -> Option<&'static dyn AnyFlow> {
    FLOWS.into_iter().find(|flow| flow.name() == name)
}

/// Whether the flow of a run has a board.
pub(crate) fn has_board(row: &RunRow) -> bool {
    flow_named(&row.flow).is_some_and(|flow| flow.has_board())
}

/// The event kinds of all crates, for schemas and validation.
#[must_use]
pub fn event_registry() -> Registry {
    let mut registry = Registry::default();
    gemicro_core::run::events::register(&mut registry);
    gemicro_core::history::register(&mut registry);
    for flow in FLOWS {
        flow.register(&mut registry);
    }
    gemicro_memory::register(&mut registry);
    crate::dispatch::register(&mut registry);
    registry
}
