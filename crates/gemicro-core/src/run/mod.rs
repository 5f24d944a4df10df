//! A run as the engine sees it: the events every run has, and the state folded from them.
//!
//! [`RunState`] knows steps, attempts, money and time; what they mean is the flow's business.
//! [`RunRow`] is the line a run has in lists.

pub mod events;
mod row;
mod state;

pub use row::RunRow;
pub use state::{Attempt, RunState, StepState};
