//! Deciding: flows are pure, steps are data.
//!
//! A [`Flow`] folds events into its state and decides which [`Step`]s to run next. It runs nothing, reads
//! no clock and keeps nothing beside the journal; `drive` does the rest. A [`FlowDefinition`] is what a program knows
//! about it besides.

mod decision;
mod definition;
mod plan;
mod step;
mod traits;

pub use decision::{Decision, Outcome, RunWait};
pub(crate) use definition::check_model;
pub use definition::{FlowDefinition, PlanFacts, ResultView, check_price, refuse_secrets};
pub use plan::read_plan;
pub use step::{Again, AttemptCost, RetryPolicy, Step, StepEnd, StepFailure, StepOutput};
pub use traits::Flow;
