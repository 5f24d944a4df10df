//! Distributes steps to the workers of a shared store.
//!
//! # Theory of operation
//!
//! The driver of a run stays in its process; its steps are distributed. [`QueuedSteps`] replaces the real executor of a
//! kind: it puts the step into the store's queue and waits for reports about it. A [`StepWorker`] in any process claims
//! it, runs it with the real executor and reports, fenced by its lease, in a separate stream of the run (`reports`).
//! The driver reads the reports there (`watcher`) and records the events in the run's journal, as for any step.
//!
//! A driver that dies leaves the queue position as a handle, so the next one continues to listen. A dead worker is
//! detected by its lease, and one that shuts down reports it: the attempt is interrupted, and what follows is decided
//! from all reports about the step (`history`).
//!
//! **The rule that holds for any sequence of crashes:** an attempt that was claimed from the queue counts as begun. For
//! a step that must not begin twice, another attempt is queued only if every earlier one was never claimed, or its
//! worker durably reported that it had not begun. The store enforces this in one transaction (`StepQueue::offer`): a
//! driver cannot replace a claimed attempt whose end it does not know. The executor decides whether a step may begin
//! twice (`Executor::may_begin_again`). One that may, such as a model call, is resumed by the handle that it left, or
//! charged at its worst case and started again, a limited number of times with growing delays.
//!
//! When the run has ended, the separate stream is erased.

mod history;
mod queued_steps;
mod reports;
mod step_worker;
#[cfg(test)]
mod tests;
mod watcher;

pub(crate) use queued_steps::QueuedSteps;
pub use reports::{ReportReaders, StepReported, StepWord};
pub(crate) use reports::{register, steps_stream};
pub(crate) use step_worker::StepWorker;
