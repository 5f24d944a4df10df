//! Ends a run: with an outcome, on request, or by suspending it.

use gemicro_event::{AgentUpdate, CommandId, ErrorKind, Failure, StepKey};

use super::attempt::{AttemptReport, ReportContents};
use super::driver::Driver;
use super::settle::{cut_off, run_ends};
use super::{DriveEnd, DriveError};
use crate::flow::{Again, AttemptCost, Outcome, StepFailure};
use crate::run::StepState;
use crate::run::events::{CancelRequested, RunCancelled, RunFailed, RunSuspended, StepFailed, StepLost};
use crate::store::{NewEvent, StepMark};

impl Driver<'_> {
    /// Stops what still runs, settles it, and writes the terminal event.
    pub(super) async fn finish(&mut self, outcome: &Outcome) -> Result<(), DriveError> {
        self.stop_all(run_ends()).await;
        let now = self.clock.now();
        let terminal = match outcome {
            Outcome::Completed { message, data } => AgentUpdate {
                event_type: "final_result".to_owned(),
                message: message.clone(),
                timestamp: now,
                data: data.clone(),
            },
            Outcome::Failed(error) => AgentUpdate::new(
                &RunFailed {
                    error: self.with_day(error),
                    spent: self.run.ledger.total_charge(),
                },
                now,
            ),
        };
        self.append(vec![NewEvent::of_run(terminal)]).await
    }

    /// Returns the failure; if the daily budget caused it, the message also says so and when the day ends.
    pub(super) fn with_day(&self, error: &Failure) -> Failure {
        let started = &self.run.started;
        let day = started.day.filter(|_| error.kind == ErrorKind::BudgetExceeded);
        match day.and_then(|day| day.explain(&started.limits)) {
            Some(day) => Failure {
                message: format!("{}; {day}", error.message),
                ..error.clone()
            },
            None => error.clone(),
        }
    }

    /// Stops everything and ends the run as cancelled.
    pub(super) async fn finish_cancelled(&mut self, requested: &CancelRequested) -> Result<(), DriveError> {
        let why = match requested.reason.as_str() {
            "" => run_ends(),
            reason => Failure::new(ErrorKind::Cancelled, format!("its run was cancelled: {reason}")),
        };
        self.stop_all(why).await;
        let cancelled = RunCancelled {
            reason: requested.reason.clone(),
            spent: self.run.ledger.total_charge(),
        };
        self.append(vec![NewEvent::of_run(AgentUpdate::new(
            &cancelled,
            self.clock.now(),
        ))])
        .await
    }

    /// Ends a run whose flow panicked outside of deciding; running attempts are charged at their worst case. Folds
    /// nothing, because folding may have panicked.
    pub(super) async fn finish_broken(&mut self) -> Result<DriveEnd, DriveError> {
        self.abandon();
        let now = self.clock.now();
        let mut events = self.staged.clone();
        for (step, attempt) in self.run.running_steps() {
            let lost = StepLost {
                step: step.clone(),
                attempt: attempt.number,
                charge: attempt.reserved.as_upper_bound(),
                kept: false,
            };
            let mark = Some(StepMark::Ended(attempt.number));
            events.push(NewEvent::of_step(AgentUpdate::new(&lost, now), step, mark));
        }
        let error = Failure::new(
            ErrorKind::Internal,
            format!("the {} flow panicked", self.flow.name()),
        );
        let spent = self
            .run
            .ledger
            .total_charge()
            .plus(self.run.ledger.reserved().as_upper_bound());
        events.push(NewEvent::of_run(AgentUpdate::new(
            &RunFailed { error, spent },
            now,
        )));
        let terminal = self
            .write(events)
            .await?
            .pop()
            .expect("an append gives back all its events");
        Ok(DriveEnd::Terminal(Box::new(terminal)))
    }

    /// Records that this process wants the run cancelled.
    pub(super) async fn request_cancel(&mut self, reason: &str) -> Result<(), DriveError> {
        let fact = CancelRequested {
            command_id: CommandId::random(),
            reason: reason.to_owned(),
        };
        self.append(vec![NewEvent::of_run(AgentUpdate::new(&fact, self.clock.now()))])
            .await
    }

    /// Suspends the run: attempts that did not finish in time are lost and start again later.
    pub(super) async fn suspend(&mut self, reason: &str, is_cut_off: bool) -> Result<(), DriveError> {
        if let Ok(report) = self.reports.try_recv() {
            self.take_reports(report);
        }
        let keys: Vec<StepKey> = self.running.keys().cloned().collect();
        // A call that can be picked up continues outside: we only stop listening.
        let (left, stopped): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| self.survives_driver(key));
        for running in left.iter().filter_map(|key| self.running.get(key)) {
            running.abort.abort();
        }
        for key in &stopped {
            self.stop_step(key, run_ends());
        }
        let ended = self.gather(stopped).await;
        let now = self.clock.now();
        for report in ended {
            // A result or message that arrived at the last moment counts; a stopped attempt starts again later.
            match report.said {
                ReportContents::Notice(_) | ReportContents::Ended(Ok(_)) => self.take_report(report, now),
                // A step that must not run twice counts as failed instead of starting again later.
                ReportContents::Ended(Err(ref error)) if error.again == Again::Never => {
                    if let Some(running) = self.running.get_mut(&report.step) {
                        running.stopped = Some(cut_off());
                    }
                    self.take_report(report, now);
                }
                ReportContents::Ended(Err(StepFailure {
                    spent: AttemptCost::Known(charge),
                    ..
                })) => {
                    if let Some(running) = self.running.remove(&report.step) {
                        self.ctx.live.remove(&report.step);
                        let mut events = Vec::new();
                        self.lost_for(&running, charge, now, &mut events);
                        self.fold(events);
                    }
                }
                ReportContents::Ended(Err(_)) => {}
            }
        }
        let mut events = Vec::new();
        for (key, running) in std::mem::take(&mut self.running) {
            self.settle_lost(&running, now, &mut events);
            running.abort.abort();
            self.ctx.live.remove(&key);
        }
        let suspended = RunSuspended {
            reason: reason.to_owned(),
            stopped_at: now,
            cut_off: is_cut_off,
        };
        events.push(NewEvent::of_run(AgentUpdate::new(&suspended, now)));
        self.append(events).await
    }

    /// Stops all running steps and settles them.
    async fn stop_all(&mut self, why: Failure) {
        let keys: Vec<StepKey> = self.running.keys().cloned().collect();
        for key in &keys {
            self.stop_step(key, why.clone());
        }
        self.take_recorded_ends().await;
        let left = self.running.keys().cloned().collect();
        for report in self.gather(left).await {
            self.take_report(report, self.clock.now());
        }
        self.stage(self.never_picked_up());
    }

    /// Failures for interrupted calls that will never be picked up, charged at their worst case.
    fn never_picked_up(&self) -> Vec<NewEvent> {
        let now = self.clock.now();
        let kept = self.run.unasked_handles();
        kept.map(|(step, attempt, charge)| {
            let error = run_ends();
            let failed = StepFailed {
                step: step.clone(),
                attempt,
                error,
                charge: charge.as_upper_bound(),
            };
            NewEvent::of_step(AgentUpdate::new(&failed, now), step, None)
        })
        .collect()
    }

    /// Whether a step runs that would be lost if it were stopped now: it must not begin twice.
    pub(super) fn runs_what_cannot_be_repeated(&self) -> bool {
        self.running.iter().any(|(key, running)| {
            let executor = self.ctx.executors.get(&running.step.kind);
            let may_begin_again = executor.is_none_or(|executor| executor.may_begin_again(&running.step));
            !may_begin_again && !self.survives_driver(key)
        })
    }

    /// Whether the step's running attempt has a handle with which the next attempt can fetch the result.
    fn survives_driver(&self, key: &StepKey) -> bool {
        let has_handle =
            matches!(self.run.steps.get(key), Some(StepState::Running(attempt)) if attempt.handle.is_some());
        let kind = self.running.get(key).map(|running| running.step.kind.as_str());
        let executor = kind.and_then(|kind| self.ctx.executors.get(kind));
        has_handle && executor.is_some_and(|executor| executor.survives_driver())
    }

    /// Waits for the reports of these stopped steps; each attempt ends within its grace period.
    async fn gather(&mut self, mut open: Vec<StepKey>) -> Vec<AttemptReport> {
        let mut reports = std::mem::take(&mut self.early);
        open.retain(|key| reports.iter().all(|report| report.step != *key));
        while !open.is_empty() {
            let Some(report) = self.reports.recv().await else {
                break;
            };
            if matches!(report.said, ReportContents::Ended(_)) {
                open.retain(|key| *key != report.step);
            }
            reports.push(report);
        }
        reports
    }
}
