//! The state of runs: the events every run has, and the state folded from them.
//!
//! [`RunState`] tracks steps, attempts, money and time; the flow knows what they mean. [`RunRow`] is the row of a run
//! in lists, [`DeadLetter`] a step that failed permanently.

mod dead_letter;
pub mod events;
mod row;
mod state;

pub use dead_letter::{DeadLetter, resubmitted_run};
pub use row::RunRow;
pub use state::{Attempt, RunState, StepState, Tries};
