//! The events of every run, independent of its flow. All are emitted by `drive`.
//!
//! Adding one: payload with its doc in `run` or `step`, a line in [`register`], the fold in `state.rs` if it
//! changes the run's state, a golden line in the tests.

mod run;
mod run_readers;
mod step;

pub use run::{
    AnswerGiven, AnswerRequested, BudgetAdjusted, BudgetWarning, CancelRequested, DeadlinePassed, EventGap,
    RunCancelled, RunFailed, RunInterrupted, RunParked, RunResumed, RunStarted, RunSuspended, RunWoken,
    TimerFired,
};
pub use run_readers::{RunReaders, register};
pub use step::{
    StepAlarm, StepCompleted, StepFailed, StepHandle, StepLost, StepParked, StepRetrying, StepStarted,
};
