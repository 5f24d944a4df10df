//! Deciding: flows are pure, steps are data.
//!
//! A [`Flow`] folds events into its state and decides which [`Step`]s to run next. It runs nothing, reads no clock and
//! keeps no other state; `drive` does the rest. A [`FlowDefinition`] describes everything else about it.

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
