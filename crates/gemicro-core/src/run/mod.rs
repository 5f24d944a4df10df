//! A run as the engine sees it: the events every run has, and the state folded from them.
//!
//! [`RunState`] knows steps, attempts, money and time; what they mean is the flow's business.
//! [`RunRow`] is the line a run has in lists, [`DeadLetter`] a step of it that failed for good.

mod dead_letter;
pub mod events;
mod row;
mod state;

pub use dead_letter::{DeadLetter, resubmitted_run};
pub use row::RunRow;
pub use state::{Attempt, RunState, StepState, Tries};
