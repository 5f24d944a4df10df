//! Starts wanted steps as attempts, within budget, time and parallelism.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, StepKey, Timestamp};

use super::DriveError;
use super::attempt::spawn_attempt;
use super::driver::{Driver, RunningStep};
use crate::budget::{Ledger, Purpose};
use crate::flow::{Decision, RunWait, Step, StepEnd};
use crate::run::StepState;
use crate::run::events::{
    AnswerRequested, BudgetWarning, DeadlinePassed, RunWoken, StepFailed, StepStarted, TimerFired,
};
use crate::store::{NewEvent, StepMark};

/// Used share of a limit that triggers a warning.
const WARNING_SHARE: f64 = 0.8;

/// The decision on a wanted step.
enum StartVerdict {
    Start {
        attempt: u32,
    },
    /// Its cost does not fit into the budget.
    Unaffordable {
        attempt: u32,
        failure: Failure,
    },
    /// `last_attempt` is the number of the last attempt, 0 if there was none.
    Refuse {
        last_attempt: u32,
        failure: Failure,
    },
    Later,
}

impl Driver<'_> {
    /// Starts the steps that may start and refuses those that never can; returns whether anything was written.
    pub(super) async fn start_steps(&mut self, want: &[Step], now: Timestamp) -> Result<bool, DriveError> {
        let mut events = Vec::new();
        let mut starts = Vec::new();
        let mut ledger = self.run.ledger.draft(want.iter().map(|step| &step.key));
        let mut seen = BTreeSet::new();
        // A key stands for one step, even if it is wanted twice.
        let mut rooms = self.rooms();
        for step in want.iter().filter(|step| seen.insert(&step.key)) {
            if rooms.get(step.kind.as_str()) == Some(&0) {
                continue;
            }
            if !self.is_its_turn(step, events.len(), want) {
                continue;
            }
            let n_running = self.running.len() + starts.len();
            let mut reserved = step.cost;
            let mut verdict = self.judge(step, n_running, &mut ledger, now);
            if let StartVerdict::Unaffordable { attempt, failure } = verdict {
                let lower = self.lower_cost(step, attempt).await;
                let lower =
                    lower.filter(|lower| ledger.reserve(&step.key, attempt, *lower, step.purpose).is_ok());
                verdict = match lower {
                    Some(lower) => {
                        reserved = lower;
                        StartVerdict::Start { attempt }
                    }
                    None => StartVerdict::Refuse {
                        last_attempt: attempt - 1,
                        failure,
                    },
                };
            }
            match verdict {
                StartVerdict::Later | StartVerdict::Unaffordable { .. } => {}
                StartVerdict::Refuse {
                    last_attempt,
                    failure,
                } => {
                    self.refuse(step, last_attempt, failure, now, &mut events);
                }
                StartVerdict::Start { attempt } => {
                    let started = StepStarted {
                        step: step.key.clone(),
                        kind: step.kind.clone(),
                        attempt,
                        input: step.input.clone(),
                        reserved,
                        purpose: step.purpose,
                    };
                    let mark = Some(StepMark::Started(attempt));
                    events.push(NewEvent::of_step(
                        AgentUpdate::new(&started, now),
                        &step.key,
                        mark,
                    ));
                    if attempt == 1 {
                        let facts = self.live.announce(step, now).into_iter();
                        events.extend(facts.map(|update| NewEvent::of_step(update, &step.key, None)));
                    }
                    if let Some(room) = rooms.get_mut(step.kind.as_str()) {
                        *room -= 1;
                    }
                    starts.push((step.clone(), attempt, self.handle_of(&step.key)));
                }
            }
        }
        if events.is_empty() {
            return Ok(false);
        }
        self.append(events).await?;
        for (step, attempt, handle) in starts {
            let key = step.key.clone();
            let picks_up = handle.is_some();
            let cancel = tokio_util::sync::CancellationToken::new();
            let abort = spawn_attempt(self, step.clone(), attempt, handle, cancel.clone());
            self.running.insert(
                key,
                RunningStep {
                    step,
                    attempt,
                    picks_up,
                    cancel,
                    abort,
                    stopped: None,
                },
            );
        }
        Ok(true)
    }

    /// Number of further steps that may start now, for kinds with their own limit.
    fn rooms(&self) -> BTreeMap<String, usize> {
        let limits = self.ctx.executors.limits();
        let room = |(kind, limit): (&str, usize)| {
            let running = self.running.values();
            let n_running = running.filter(|running| running.step.kind == kind).count();
            (kind.to_owned(), limit.saturating_sub(n_running))
        };
        limits.map(room).collect()
    }

    fn judge(&self, step: &Step, n_running: usize, ledger: &mut Ledger, now: Timestamp) -> StartVerdict {
        let attempt = match self.run.steps.get(&step.key) {
            None => 1,
            Some(StepState::Waiting { attempt, .. }) => attempt + 1,
            Some(StepState::Running(_) | StepState::Completed | StepState::Failed(_)) => {
                return StartVerdict::Later;
            }
        };
        let refuse = |message: String| StartVerdict::Refuse {
            last_attempt: attempt - 1,
            failure: Failure::new(ErrorKind::BudgetExceeded, message),
        };
        if let Some(deadline) = &self.run.deadline
            && (deadline.over || step.purpose == Purpose::Ordinary)
        {
            return refuse("not started: too little of the run's time limit is left".to_owned());
        }
        if let Some(StepState::Waiting { retry_at, .. }) = self.run.steps.get(&step.key)
            && *retry_at > now
        {
            return StartVerdict::Later;
        }
        if n_running >= self.ctx.options.max_parallel {
            return StartVerdict::Later;
        }
        if let Some(parked) = &self.run.parked
            && parked.kind == step.kind
            && parked.until > now
        {
            return StartVerdict::Later;
        }
        if self.handle_of(&step.key).is_some() {
            ledger.release(&step.key, attempt - 1);
        }
        match ledger.reserve(&step.key, attempt, step.cost, step.purpose) {
            Ok(()) => StartVerdict::Start { attempt },
            // Steps that run or start now may turn out cheaper than reserved.
            Err(_) if ledger.reserved() != Charge::ZERO => StartVerdict::Later,
            Err(refusal) => StartVerdict::Unaffordable {
                attempt,
                failure: Failure::new(ErrorKind::BudgetExceeded, refusal.to_string()),
            },
        }
    }

    /// A lower maximum cost of an attempt, if its executor can find one out.
    async fn lower_cost(&self, step: &Step, attempt: u32) -> Option<Charge> {
        let executor = self.ctx.executors.get(&step.kind)?;
        executor.lower_cost(&self.run.run, step, attempt).await
    }

    fn refuse(
        &self,
        step: &Step,
        last_attempt: u32,
        failure: Failure,
        now: Timestamp,
        events: &mut Vec<NewEvent>,
    ) {
        let failed = StepFailed {
            step: step.key.clone(),
            attempt: last_attempt,
            error: failure.clone(),
            charge: self.kept_for(&step.key),
        };
        events.push(NewEvent::of_step(AgentUpdate::new(&failed, now), &step.key, None));
        let facts = self
            .live
            .describe(step, &StepEnd::Failed(failure), now)
            .into_iter();
        events.extend(facts.map(|update| NewEvent::of_step(update, &step.key, None)));
    }

    /// The reservation of an interrupted attempt that left a handle.
    fn kept_for(&self, step: &StepKey) -> Charge {
        match self.run.steps.get(step) {
            Some(StepState::Waiting {
                kept: Some((_, reserved)),
                ..
            }) => reserved.as_upper_bound(),
            Some(
                StepState::Waiting { .. }
                | StepState::Running(_)
                | StepState::Completed
                | StepState::Failed(_),
            )
            | None => Charge::ZERO,
        }
    }

    /// Events that are due now: warnings, deadlines, timers and questions.
    pub(super) fn due_events(&self, decision: &Decision, now: Timestamp) -> Vec<NewEvent> {
        let mut events: Vec<NewEvent> = self.warning_due(now).into_iter().collect();
        if let Some(over) = self.deadline_due(now) {
            events.push(NewEvent::of_run(AgentUpdate::new(&DeadlinePassed { over }, now)));
        }
        if self.run.parked.as_ref().is_some_and(|parked| parked.until <= now) {
            events.push(NewEvent::of_run(AgentUpdate::new(&RunWoken {}, now)));
        }
        for wait in &decision.waits {
            match wait {
                RunWait::Until { key, at } if *at <= now && !self.run.fired.contains(key) => {
                    let fired = TimerFired { key: key.clone() };
                    events.push(NewEvent::of_run(AgentUpdate::new(&fired, now)));
                }
                RunWait::Answer { key } if !self.run.asked.contains(key) => {
                    let asked = AnswerRequested {
                        key: key.clone(),
                        tool: None,
                        what: None,
                    };
                    events.push(NewEvent::of_run(AgentUpdate::new(&asked, now)));
                }
                RunWait::Until { .. } | RunWait::Answer { .. } => {}
            }
        }
        events
    }

    /// The warning that the budget is nearly used up; given once per run.
    pub(super) fn warning_due(&self, now: Timestamp) -> Option<NewEvent> {
        if self.run.warned || self.run.ledger.used_share() < WARNING_SHARE {
            return None;
        }
        let used_percent = (self.run.ledger.used_share() * 100.0).min(100.0) as u32;
        let warning = BudgetWarning {
            used_percent,
            spent: self.run.ledger.total_charge(),
        };
        Some(NewEvent::of_run(AgentUpdate::new(&warning, now)))
    }

    /// The next time at which something becomes due.
    pub(super) fn next_wake(&self, decision: &Decision) -> Option<Timestamp> {
        let retries = decision
            .want
            .iter()
            .filter_map(|step| match self.run.steps.get(&step.key) {
                Some(StepState::Waiting { retry_at, .. }) => Some(*retry_at),
                Some(StepState::Running(_) | StepState::Completed | StepState::Failed(_)) | None => None,
            });
        let timers = decision.waits.iter().filter_map(|wait| match wait {
            RunWait::Until { key, at } if !self.run.fired.contains(key) => Some(*at),
            RunWait::Until { .. } | RunWait::Answer { .. } => None,
        });
        let limit_end = self.run.parked.as_ref().map(|parked| parked.until);
        retries
            .chain(timers)
            .chain(self.next_deadline())
            .chain(limit_end)
            .min()
    }

    /// Near the time limit, only the last step continues; past it, none does.
    pub(super) fn stop_ordinary_after_deadline(&mut self) {
        let Some(deadline) = self.run.deadline.clone() else {
            return;
        };
        let late: Vec<StepKey> = self
            .running
            .iter()
            .filter(|(_, running)| deadline.over || running.step.purpose == Purpose::Ordinary)
            .map(|(key, _)| key.clone())
            .collect();
        for key in late {
            self.stop_step(
                &key,
                Failure::new(ErrorKind::BudgetExceeded, "stopped by the run's time limit"),
            );
        }
    }

    fn deadline_due(&self, now: Timestamp) -> Option<bool> {
        let limit = self.run.started.limits.wall_ms?;
        let worked = self.run.worked_ms_at(now);
        let near = limit.saturating_sub(self.run.started.held_back_ms);
        match &self.run.deadline {
            Some(passed) if passed.over => None,
            Some(_) | None if worked >= limit => Some(true),
            None if worked >= near => Some(false),
            Some(_) | None => None,
        }
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let limit = self.run.started.limits.wall_ms?;
        let since = self.run.working_since?;
        let due = match &self.run.deadline {
            Some(passed) if passed.over => return None,
            Some(_) => limit,
            None => limit.saturating_sub(self.run.started.held_back_ms),
        };
        let left = due.saturating_sub(self.run.worked_ms);
        Some(since.plus(std::time::Duration::from_millis(left)))
    }
}
