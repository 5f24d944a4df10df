//! Drives runs: fold, decide, start steps, record what happened, fold again.
//!
//! # Theory of operation
//!
//! One driver owns a run: it holds the run's lease, and every append carries the lease's epoch and the last sequence
//! number it has folded, so a second driver or a woken laptop cannot write. The driver is one task: executors run in
//! parallel and send their results to it; only the driver appends. Its state is the fold of the journal, so a crash at
//! any point loses only the running attempts; the next driver records those as lost, charges their reservation, and
//! decides again.
//!
//! - `begin` creates a run or picks one up: load, check the version, record what a crash interrupted.
//! - `driver` is the loop: decide, act, wait.
//! - `journal` folds events and writes them, with the decisions that follow, in one transaction.
//! - `start` turns wanted steps into attempts, within budget, time and parallelism.
//! - `settle` turns results into events: completed, retrying, failed.
//! - `commands` carries out commands from other processes.
//! - `attempt` runs one attempt: time limit, cancel, panic.
//! - `stop` ends a run: finish, cancel, suspend.
//! - `any_flow` is the trait object for flows in a table.
//! - `recorded_run` is a run that happened before; `follow_recording` drives it again.

mod any_flow;
mod attempt;
mod begin;
mod clock;
mod commands;
mod context;
mod driver;
mod follow_recording;
mod journal;
mod live_flow;
mod recorded_run;
mod settle;
mod start;
mod stop;
#[cfg(test)]
mod tests;

pub use any_flow::AnyFlow;
pub use begin::{Hold, NewRun, begin, resume};
pub use context::{DriveContext, DriveEnd, DriveError, DriveOptions, StopSignals};
pub use driver::{drive, drive_new};
pub use recorded_run::{RecordedRun, ReplayDifference};
