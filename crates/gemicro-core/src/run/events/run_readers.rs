//! Readers and registration of all run events.

use gemicro_event::event_readers;

use super::{
    AnswerGiven, AnswerRequested, BudgetAdjusted, BudgetWarning, CancelRequested, DeadlinePassed, EventGap,
    RunCancelled, RunFailed, RunInterrupted, RunParked, RunResumed, RunStarted, RunSuspended, RunWoken,
    StepAlarm, StepCompleted, StepFailed, StepHandle, StepLost, StepParked, StepRetrying, StepStarted,
    TimerFired,
};

event_readers! {
    /// Readers of the events every run has.
    pub trait RunReaders {
        RunStarted => as_run_started, try_as_run_started;
        StepStarted => as_step_started, try_as_step_started;
        StepHandle => as_step_handle, try_as_step_handle;
        StepAlarm => as_step_alarm, try_as_step_alarm;
        StepCompleted => as_step_completed, try_as_step_completed;
        StepRetrying => as_step_retrying, try_as_step_retrying;
        StepParked => as_step_parked, try_as_step_parked;
        StepFailed => as_step_failed, try_as_step_failed;
        StepLost => as_step_lost, try_as_step_lost;
        BudgetWarning => as_budget_warning, try_as_budget_warning;
        BudgetAdjusted => as_budget_adjusted, try_as_budget_adjusted;
        RunParked => as_run_parked, try_as_run_parked;
        RunWoken => as_run_woken, try_as_run_woken;
        TimerFired => as_timer_fired, try_as_timer_fired;
        DeadlinePassed => as_deadline_passed, try_as_deadline_passed;
        CancelRequested => as_cancel_requested, try_as_cancel_requested;
        AnswerRequested => as_answer_requested, try_as_answer_requested;
        AnswerGiven => as_answer_given, try_as_answer_given;
        RunSuspended => as_run_suspended, try_as_run_suspended;
        RunResumed => as_run_resumed, try_as_run_resumed;
        RunFailed => as_run_failed, try_as_run_failed;
        RunCancelled => as_run_cancelled, try_as_run_cancelled;
        RunInterrupted => as_run_interrupted, try_as_run_interrupted;
        EventGap => as_gap, try_as_gap;
    }

    /// Registers the events every run has.
    pub fn register;
}
