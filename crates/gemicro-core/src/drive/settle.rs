//! Turns reports of attempts into events.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, StepKey, Timestamp};

use super::attempt::{AttemptReport, ReportContents};
use super::driver::{Driver, RunningStep};
use crate::execute::{AttemptMessage, AttemptNotice};
use crate::flow::{Again, AttemptCost, StepEnd, StepFailure, StepOutput};
use crate::run::StepState;
use crate::run::events::{
    RunParked, StepAlarm, StepCompleted, StepFailed, StepHandle, StepLost, StepParked, StepRetrying,
};
use crate::store::{NewEvent, StepMark};

/// Maximum number of reports that are taken before the flow decides again.
const MAX_REPORTS: usize = 64;
/// Maximum stated wait that a run waits for.
const PARK_UP_TO: Duration = Duration::from_secs(48 * 3_600);
/// Limits that end within this time of each other count as one.
const ONE_LIMIT: Duration = Duration::from_secs(1);
/// Maximum number of times that a step may be parked; then a limit counts as a failure.
const MAX_PARKS: u32 = 50;

impl Driver<'_> {
    /// Takes a report and all others that are waiting. Each one is folded before the next, so a journal does not depend
    /// on how many were waiting.
    pub(super) fn take_reports(&mut self, first: AttemptReport) {
        let now = self.clock.now();
        self.take_report(first, now);
        for _ in 1..MAX_REPORTS {
            let Ok(report) = self.reports.try_recv() else {
                break;
            };
            self.take_report(report, now);
        }
        self.note_board();
    }

    /// Folds the events of a report.
    pub(super) fn take_report(&mut self, report: AttemptReport, now: Timestamp) {
        let mut events = Vec::new();
        self.settle(report, now, &mut events);
        self.fold(events);
    }

    /// Adds the events for a report.
    fn settle(&mut self, report: AttemptReport, now: Timestamp, events: &mut Vec<NewEvent>) {
        let is_current = self
            .running
            .get(&report.step)
            .is_some_and(|running| running.attempt == report.attempt);
        if !is_current {
            return;
        }
        match report.said {
            ReportContents::Notice(AttemptNotice { message, noted }) => {
                let (step, attempt) = (report.step.clone(), report.attempt);
                self.to_note.extend(noted);
                let fact = match message {
                    AttemptMessage::Handle(handle) => AgentUpdate::new(
                        &StepHandle {
                            step,
                            attempt,
                            handle,
                        },
                        now,
                    ),
                    AttemptMessage::Alarm(message) => AgentUpdate::new(
                        &StepAlarm {
                            step,
                            attempt,
                            message,
                        },
                        now,
                    ),
                    // The journal's clock, not that of the attempt.
                    AttemptMessage::Fact(fact) => AgentUpdate {
                        timestamp: now,
                        ..fact
                    },
                };
                events.push(NewEvent::of_step(fact, &report.step, None));
            }
            ReportContents::Ended(result) => {
                let Some(running) = self.running.remove(&report.step) else {
                    return;
                };
                self.ctx.live.remove(&report.step);
                match result {
                    Ok(output) => self.settle_completed(&running, output, now, events),
                    Err(step_failure) if step_failure.failure.kind == ErrorKind::StorageError => {
                        // Not the step's fault: it is retried when the disk works again.
                        self.settle_lost(&running, now, events);
                        self.halted.get_or_insert(step_failure.failure);
                    }
                    Err(step_failure)
                        if running.picks_up && step_failure.failure.kind == ErrorKind::SessionNotFound =>
                    {
                        // The interrupted call is gone: it is charged at its worst case, and the step starts afresh.
                        let charge = self.reserved_for(&report.step).as_upper_bound();
                        self.lost_for(&running, charge, now, events);
                    }
                    Err(step_failure) if step_failure.again == Again::CutOff && running.stopped.is_none() => {
                        self.settle_lost(&running, now, events);
                    }
                    Err(failure) => self.settle_failed(&running, failure, now, events),
                }
            }
        }
    }

    fn settle_completed(
        &self,
        running: &RunningStep,
        output: StepOutput,
        now: Timestamp,
        events: &mut Vec<NewEvent>,
    ) {
        let key = &running.step.key;
        let fact = StepCompleted {
            step: key.clone(),
            attempt: running.attempt,
            output: output.output.clone(),
            charge: output.charge,
            usage: output.usage,
        };
        let mark = Some(StepMark::Ended(running.attempt));
        events.push(NewEvent::of_step(AgentUpdate::new(&fact, now), key, mark));
        let facts = self
            .live
            .describe(&running.step, &StepEnd::Completed(output), now)
            .into_iter();
        events.extend(facts.map(|update| NewEvent::of_step(update, key, None)));
    }

    /// Records an attempt as interrupted.
    pub(super) fn settle_lost(&self, running: &RunningStep, now: Timestamp, events: &mut Vec<NewEvent>) {
        let key = &running.step.key;
        if let Some(StepState::Running(attempt)) = self.run.steps.get(key) {
            push_lost(StepLost::of(key, attempt), now, events);
        }
    }

    /// Records an attempt as lost with this charge; it cannot be picked up.
    pub(super) fn lost_for(
        &self,
        running: &RunningStep,
        charge: Charge,
        now: Timestamp,
        events: &mut Vec<NewEvent>,
    ) {
        let (step, attempt) = (running.step.key.clone(), running.attempt);
        push_lost(
            StepLost {
                step,
                attempt,
                charge,
                kept: false,
            },
            now,
            events,
        );
    }

    fn settle_failed(
        &self,
        running: &RunningStep,
        step_failure: StepFailure,
        now: Timestamp,
        events: &mut Vec<NewEvent>,
    ) {
        let key = &running.step.key;
        let attempt = running.attempt;
        let charge = match step_failure.spent {
            AttemptCost::Nothing => Charge::ZERO,
            AttemptCost::Known(charge) => charge,
            AttemptCost::Unknown => self.reserved_for(key).as_upper_bound(),
        };
        let mark = Some(StepMark::Ended(attempt));
        let retry = running.step.retry;
        let tries = self.run.tries(key);
        let may_continue = running.stopped.is_none() && step_failure.again == Again::AsUsual;
        if may_continue
            && tries.parks < MAX_PARKS
            && let Some(wait) = limit_end(&step_failure.failure)
            && wait >= self.ctx.options.park_from
        {
            self.park(running, step_failure.failure, charge, now.plus(wait), now, events);
            return;
        }
        let too_long = stated_wait(&step_failure.failure).is_some_and(|wait| wait > PARK_UP_TO);
        let may_pass = step_failure.failure.kind.is_retryable() && !too_long;
        if may_continue && may_pass && tries.failures + 1 < retry.max_attempts {
            let attempt = tries.failures + 1;
            let wait = retry.wait_after(attempt, &step_failure.failure, seed(self.run_id().as_str(), key));
            let fact = StepRetrying {
                step: key.clone(),
                attempt: running.attempt,
                error: step_failure.failure,
                charge,
                retry_at: now.plus(wait),
            };
            events.push(NewEvent::of_step(AgentUpdate::new(&fact, now), key, mark));
            return;
        }
        let error = running.stopped.clone().unwrap_or(step_failure.failure);
        let fact = StepFailed {
            step: key.clone(),
            attempt,
            error: error.clone(),
            charge,
        };
        events.push(NewEvent::of_step(AgentUpdate::new(&fact, now), key, mark));
        let facts = self
            .live
            .describe(&running.step, &StepEnd::Failed(error), now)
            .into_iter();
        events.extend(facts.map(|update| NewEvent::of_step(update, key, None)));
    }

    /// Parks a step, and with it all of its kind: a limit with a stated end is not a failure.
    fn park(
        &self,
        running: &RunningStep,
        error: Failure,
        charge: Charge,
        until: Timestamp,
        now: Timestamp,
        events: &mut Vec<NewEvent>,
    ) {
        let (step, attempt) = (running.step.key.clone(), running.attempt);
        let reason = error.message.clone();
        let parked = StepParked {
            step,
            attempt,
            error,
            charge,
            until,
        };
        let mark = Some(StepMark::Ended(attempt));
        events.push(NewEvent::of_step(
            AgentUpdate::new(&parked, now),
            &running.step.key,
            mark,
        ));
        let kind = running.step.kind.clone();
        // Many calls meet one limit at the same time; it is reported once.
        let is_same_limit = |parked: &RunParked| parked.kind == kind && until.since(parked.until) < ONE_LIMIT;
        if !self.run.parked.as_ref().is_some_and(is_same_limit) {
            let parked = RunParked { until, kind, reason };
            events.push(NewEvent::of_run(AgentUpdate::new(&parked, now)));
        }
    }

    pub(super) fn reserved_for(&self, key: &StepKey) -> Charge {
        match self.run.steps.get(key) {
            Some(StepState::Running(attempt)) => attempt.reserved,
            Some(StepState::Waiting { .. } | StepState::Completed | StepState::Failed(_)) | None => {
                Charge::ZERO
            }
        }
    }

    /// Tells a running step to stop; its report follows.
    pub(super) fn stop_step(&mut self, key: &StepKey, why: Failure) {
        if let Some(running) = self.running.get_mut(key) {
            running.stopped.get_or_insert(why);
            running.cancel.cancel();
        }
    }
}

fn push_lost(lost: StepLost, now: Timestamp, events: &mut Vec<NewEvent>) {
    let mark = Some(StepMark::Ended(lost.attempt));
    events.push(NewEvent::of_step(AgentUpdate::new(&lost, now), &lost.step, mark));
}

fn seed(run: &str, key: &StepKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    (run, key).hash(&mut hasher);
    hasher.finish()
}

/// Time until the limit in a failure ends, if it is short enough to wait for.
fn limit_end(failure: &Failure) -> Option<Duration> {
    let can_pass = matches!(
        failure.kind,
        ErrorKind::RateLimited | ErrorKind::QuotaExhausted | ErrorKind::UpstreamError
    );
    stated_wait(failure).filter(|wait| can_pass && *wait <= PARK_UP_TO)
}

fn stated_wait(failure: &Failure) -> Option<Duration> {
    failure.retry_after_ms.map(Duration::from_millis)
}

/// The failure of a step that was stopped because its run ends.
pub(super) fn run_ends() -> Failure {
    Failure::new(ErrorKind::Cancelled, "its run ended")
}

/// The failure of a step that was stopped in the middle and must not be repeated.
pub(super) fn cut_off() -> Failure {
    let message = "interrupted; its changes so far are kept. Check them, then try again";
    Failure::new(ErrorKind::Interrupted, message)
}
