//! Steps done by any worker of a shared store.
//!
//! # Theory of operation
//!
//! The driver of a run stays where it is; its steps travel. In place of the real executor of a kind stands
//! [`QueuedSteps`]: it puts the step into the store's queue and waits for what is said about it. A [`StepWorker`] in
//! any process takes it, runs it with the real executor and says so, fenced by its lease, in a stream beside the run
//! (`reports`). The driver hears it there (`watcher`) and states the facts in the run's journal, as for any step.
//!
//! A driver that dies leaves the place in the queue as a handle: the next one listens on. A worker that dies is
//! noticed by its lease, and one that leaves says so: the attempt is cut off, and what follows is decided from everything
//! that was ever said about the step (`history`).
//!
//! **The rule that holds over any sequence of deaths:** an attempt that somebody took out of the queue counts as begun.
//! Another attempt at a step that must not begin twice is queued only where every earlier one was never taken, or has the
//! durable word of its worker that it had not begun. The store keeps it in one transaction (`StepQueue::offer`): a driver
//! queues nothing over an attempt that was taken and whose end it does not know. Whether a step may begin twice is its
//! executor's word (`Executor::may_begin_again`). What may, such as a model call, is picked up by the handle that it left,
//! or counted at its worst case and begun again, a bounded number of times and each time a little later.
//!
//! When the run has ended, the stream beside it is erased.

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
