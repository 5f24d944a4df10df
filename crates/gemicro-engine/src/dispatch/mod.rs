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
//! noticed by its lease: the step is cut off, and the next attempt picks up what its executor left outside, or counts
//! it at its worst case and starts afresh. When the run has ended, the stream beside it is erased.

mod queued_steps;
mod reports;
mod step_worker;
#[cfg(test)]
mod tests;
mod watcher;

pub(crate) use queued_steps::QueuedSteps;
pub use reports::{NextAttempt, ReportReaders, StepReported, StepWord};
pub(crate) use reports::{register, steps_stream};
pub(crate) use step_worker::StepWorker;
