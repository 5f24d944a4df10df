//! The loop around deciding: fold, decide, start steps, write down what happened, fold again.
//!
//! # Theory of operation
//!
//! One driver owns a run: it holds the run's lease, and every append carries the lease's epoch and the last
//! sequence number it has folded, so a second driver or a woken laptop cannot write. The driver is one
//! task: executors run beside it and send their results to it; it alone appends. What it knows is the fold of
//! the journal, so a crash at any point loses nothing but the attempts that were running; the next driver
//! notes those as lost, charges their reservation, and decides again.
//!
//! - `begin` makes a run or picks one up: load, check the version, note what a crash cut off.
//! - `driver` is the loop: decide, act, wait.
//! - `journal` folds facts and writes them, with what was decided from them, in one transaction.
//! - `start` turns wanted steps into attempts, within budget, time and parallelism.
//! - `settle` turns results into events: completed, retrying, failed.
//! - `commands` carries out what other processes ask for.
//! - `attempt` runs one attempt: time limit, cancel, panic.
//! - `stop` ends a run: finish, cancel, suspend.
//! - `any_flow` is a flow of any kind, as a table of flows holds it.

mod any_flow;
mod attempt;
mod begin;
mod clock;
mod commands;
mod context;
mod driver;
mod journal;
mod live_flow;
mod settle;
mod start;
mod stop;
#[cfg(test)]
mod tests;

pub use any_flow::AnyFlow;
pub use begin::{Hold, NewRun, begin, resume};
pub use context::{DriveContext, DriveEnd, DriveError, DriveOptions, StopSignals};
pub use driver::{drive, drive_new};
