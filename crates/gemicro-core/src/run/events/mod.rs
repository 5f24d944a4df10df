//! The events every run has, whatever its flow. All are emitted by `drive`.
//!
//! Adding one: payload with its doc in `run` or `step`, a line in [`register`], the fold in `state.rs` if it
//! changes the run's state, a golden line in the tests.

mod known;
mod run;
mod step;

pub use known::{RunReaders, register};
pub use run::{
    AnswerGiven, AnswerRequested, BudgetWarning, CancelRequested, DeadlinePassed, EventGap, RunCancelled,
    RunFailed, RunInterrupted, RunParked, RunResumed, RunStarted, RunSuspended, RunWoken, TimerFired,
};
pub use step::{
    StepAlarm, StepCompleted, StepFailed, StepHandle, StepLost, StepParked, StepRetrying, StepStarted,
};
