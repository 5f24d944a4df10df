//! The state of a run, folded from its events.

use std::collections::BTreeMap;

use gemicro_event::{Charge, Event, Failure, Json, StepKey, StreamId, Timestamp, is_terminal};

use super::events::{
    AnswerGiven, AnswerRequested, BudgetAdjusted, BudgetWarning, CancelRequested, DeadlinePassed, RunParked,
    RunReaders, RunStarted, RunSuspended, StepCompleted, StepFailed, StepHandle, StepLost, StepParked,
    StepRetrying, StepStarted, TimerFired,
};
use crate::budget::Ledger;

/// The state of one step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepState {
    /// An attempt is running.
    Running(Attempt),
    /// The last attempt failed or was lost; the next may start at `retry_at`.
    Waiting {
        /// Number of the last attempt.
        attempt: u32,
        /// Number of failures and waits so far.
        tries: Tries,
        /// Earliest start of the next attempt.
        retry_at: Timestamp,
        /// The handle of a lost attempt, with the reservation that stays for it.
        kept: Option<(Json, Charge)>,
    },
    /// It has its result.
    Completed,
    /// It failed permanently.
    Failed(Failure),
}

/// How often a step failed and waited; interrupted attempts count as neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tries {
    /// Attempts that ended with an error.
    pub failures: u32,
    /// Attempts that met a limit of the provider.
    pub parks: u32,
}

/// A running attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// Failures and waits before it.
    pub tries: Tries,
    /// The amount reserved for it.
    pub reserved: Charge,
    /// A handle by which it can be picked up.
    pub handle: Option<Json>,
}

impl StepLost {
    /// The event for an interrupted attempt: with a handle its reservation stays, otherwise it counts as spent.
    #[must_use]
    pub fn of(step: &StepKey, attempt: &Attempt) -> Self {
        let kept = attempt.handle.is_some();
        Self {
            step: step.clone(),
            attempt: attempt.number,
            charge: if kept {
                Charge::ZERO
            } else {
                attempt.reserved.as_upper_bound()
            },
            kept,
        }
    }
}

/// A run's steps, money and time. Not `Clone`: the cost of a copy would grow with the run.
#[derive(Debug)]
pub struct RunState {
    /// Id of the run, which is that of its stream.
    pub run: StreamId,
    /// The data of its first event, with the limits that hold now.
    pub started: RunStarted,
    /// When the first event was written.
    pub started_at: Timestamp,
    /// Time of the last event.
    pub last_at: Timestamp,
    /// Sequence number of the last event.
    pub last_seq: u64,
    /// Time that it was worked on before the last stop, in milliseconds.
    pub worked_ms: u64,
    /// Start of the current period of work; `None` while suspended or waiting for a person.
    pub working_since: Option<Timestamp>,
    /// State of every step so far, by key.
    pub steps: BTreeMap<StepKey, StepState>,
    /// Limits, charges and open reservations of the run.
    pub ledger: Ledger,
    /// The time limit is near or over.
    pub deadline: Option<DeadlinePassed>,
    /// It waits for a provider limit to end.
    pub parked: Option<RunParked>,
    /// A cancellation was requested.
    pub cancel: Option<CancelRequested>,
    /// Whether the budget warning was given.
    pub warned: bool,
    /// Questions asked so far.
    pub asked: Vec<String>,
    /// Answers so far, by question.
    pub answers: BTreeMap<String, Json>,
    /// Timers that have fired.
    pub fired: Vec<String>,
    /// It has its terminal event.
    pub ended: bool,
}

impl RunState {
    /// The state after the first event; `None` when that is not `run_started`.
    #[must_use]
    pub fn start(event: &Event) -> Option<Self> {
        let started = event.update.as_run_started()?;
        Some(Self {
            run: event.stream.clone(),
            ledger: Ledger::new(started.limits, started.held_back),
            started,
            started_at: event.update.timestamp,
            last_at: event.update.timestamp,
            last_seq: event.seq,
            worked_ms: 0,
            working_since: Some(event.update.timestamp),
            steps: BTreeMap::new(),
            deadline: None,
            parked: None,
            cancel: None,
            warned: false,
            asked: Vec::new(),
            answers: BTreeMap::new(),
            fired: Vec::new(),
            ended: false,
        })
    }

    /// Applies the next event; one that was already folded changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if event.seq <= self.last_seq {
            return;
        }
        self.last_seq = event.seq;
        self.last_at = self.last_at.max(event.update.timestamp);
        let update = &event.update;
        match update.event_type.as_str() {
            "step_started" => self.fold_read(update.as_step_started(), Self::step_started),
            "step_handle" => self.fold_read(update.as_step_handle(), Self::step_handle),
            "step_completed" => self.fold_read(update.as_step_completed(), Self::step_completed),
            "step_retrying" => self.fold_read(update.as_step_retrying(), Self::step_retrying),
            "step_parked" => self.fold_read(update.as_step_parked(), Self::step_parked),
            "run_parked" => self.fold_read(update.as_run_parked(), |it, parked: RunParked| {
                it.parked = Some(parked)
            }),
            "run_woken" => self.parked = None,
            "step_failed" => self.fold_read(update.as_step_failed(), Self::step_failed),
            "step_lost" => self.fold_read(update.as_step_lost(), Self::step_lost),
            "budget_warning" => self.fold_read(update.as_budget_warning(), |it, _: BudgetWarning| {
                it.warned = true
            }),
            "budget_adjusted" => self.fold_read(update.as_budget_adjusted(), Self::adjust_budget),
            "timer_fired" => self.fold_read(update.as_timer_fired(), |it, fired: TimerFired| {
                it.fired.push(fired.key)
            }),
            "deadline_passed" => {
                self.fold_read(update.as_deadline_passed(), |it, passed: DeadlinePassed| {
                    it.deadline = Some(passed)
                });
            }
            "cancel_requested" => {
                self.fold_read(update.as_cancel_requested(), |it, asked: CancelRequested| {
                    it.cancel = Some(asked)
                });
            }
            "answer_requested" => {
                let at = update.timestamp;
                self.fold_read(update.as_answer_requested(), |it, asked: AnswerRequested| {
                    if asked.tool.is_none() {
                        // Waiting for a person does not count as work; an agent whose tool waits keeps running.
                        it.worked_ms = it.worked_ms_at(at);
                        it.working_since = None;
                    }
                    it.asked.push(asked.key)
                });
            }
            "answer_given" => {
                if self.working_since.is_none() {
                    self.working_since = Some(update.timestamp);
                }
                self.fold_read(update.as_answer_given(), |it, given: AnswerGiven| {
                    it.answers.insert(given.key, given.answer);
                });
            }
            "run_suspended" => self.fold_read(update.as_run_suspended(), Self::suspend),
            "run_resumed" => self.working_since = Some(update.timestamp),
            other => self.ended |= is_terminal(other),
        }
    }

    /// Whether a step has completed or failed.
    #[must_use]
    pub fn is_done(&self, step: &StepKey) -> bool {
        matches!(
            self.steps.get(step),
            Some(StepState::Completed | StepState::Failed(_))
        )
    }

    /// Steps with a running attempt.
    pub fn running_steps(&self) -> impl Iterator<Item = (&StepKey, &Attempt)> {
        self.steps.iter().filter_map(|(key, state)| match state {
            StepState::Running(attempt) => Some((key, attempt)),
            StepState::Waiting { .. } | StepState::Completed | StepState::Failed(_) => None,
        })
    }

    /// Time it has been worked on until `now`, in milliseconds; time spent suspended does not count.
    #[must_use]
    pub fn worked_ms_at(&self, now: Timestamp) -> u64 {
        let since = self.working_since.map_or(0, |since| now.since(since).as_millis());
        self.worked_ms
            .saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
    }

    fn fold_read<P>(&mut self, payload: Option<P>, apply: impl FnOnce(&mut Self, P)) {
        match payload {
            Some(payload) => apply(self, payload),
            None => {
                tracing::warn!(run = %self.run, seq = self.last_seq, "an event of ours has another shape")
            }
        }
    }

    fn adjust_budget(&mut self, it: BudgetAdjusted) {
        self.started.limits = it.limits;
        self.ledger.set_limits(it.limits);
        // The driver looks at the new time limit again.
        self.deadline = None;
    }

    fn suspend(&mut self, it: RunSuspended) {
        self.worked_ms = self.worked_ms_at(it.stopped_at);
        self.working_since = None;
    }

    fn settle(&mut self, step: &StepKey, attempt: u32, charge: Charge) {
        let settled = self.ledger.settle(step, attempt, charge);
        // Amounts without a limit were not reserved in full, so only check limited ones.
        let limits = &self.started.limits;
        let is_over = |over: Charge| {
            (over.tokens > 0 && limits.tokens.is_some())
                || (over.micro_usd > 0 && limits.micro_usd.is_some())
                || (over.turns > 0 && limits.turns.is_some())
        };
        if settled.overrun.is_some_and(is_over) {
            tracing::warn!(run = %self.run, %step, attempt, "a call cost more than its proven upper bound");
        }
    }

    fn step_started(&mut self, it: StepStarted) {
        let mut tries = Tries::default();
        let mut handle = None;
        if let Some(StepState::Waiting {
            attempt,
            tries: so_far,
            kept,
            ..
        }) = self.steps.get(&it.step)
        {
            tries = *so_far;
            if let Some((left, _)) = kept {
                // The same call continues under the new attempt's number and reservation: if this attempt is
                // interrupted too, the next one tries the handle again.
                self.ledger.release(&it.step, *attempt);
                handle = Some(left.clone());
            }
        }
        self.ledger.hold(&it.step, it.attempt, it.reserved, it.purpose);
        let attempt = Attempt {
            number: it.attempt,
            tries,
            reserved: it.reserved,
            handle,
        };
        self.steps.insert(it.step, StepState::Running(attempt));
    }

    fn step_handle(&mut self, it: StepHandle) {
        if let Some(StepState::Running(attempt)) = self.steps.get_mut(&it.step)
            && attempt.number == it.attempt
        {
            attempt.handle = Some(it.handle);
        }
    }

    fn step_completed(&mut self, it: StepCompleted) {
        self.settle(&it.step, it.attempt, it.charge);
        self.steps.insert(it.step, StepState::Completed);
    }

    fn step_retrying(&mut self, it: StepRetrying) {
        self.settle(&it.step, it.attempt, it.charge);
        let mut tries = self.tries(&it.step);
        tries.failures += 1;
        self.wait(it.step, it.attempt, tries, it.retry_at);
    }

    fn step_parked(&mut self, it: StepParked) {
        self.settle(&it.step, it.attempt, it.charge);
        let mut tries = self.tries(&it.step);
        tries.parks += 1;
        self.wait(it.step, it.attempt, tries, it.until);
    }

    fn step_failed(&mut self, it: StepFailed) {
        self.settle(&it.step, it.attempt, it.charge);
        self.steps.insert(it.step, StepState::Failed(it.error));
    }

    fn step_lost(&mut self, it: StepLost) {
        let tries = self.tries(&it.step);
        let kept = match self.steps.remove(&it.step) {
            Some(StepState::Running(attempt)) if it.kept => {
                attempt.handle.map(|handle| (handle, attempt.reserved))
            }
            // A handle that is no longer valid is not tried again.
            Some(StepState::Running(_)) => None,
            Some(StepState::Waiting { .. } | StepState::Completed | StepState::Failed(_)) | None => None,
        };
        if !it.kept {
            self.settle(&it.step, it.attempt, it.charge);
        }
        let waiting = StepState::Waiting {
            attempt: it.attempt,
            tries,
            retry_at: self.last_at,
            kept,
        };
        self.steps.insert(it.step, waiting);
    }

    fn wait(&mut self, step: StepKey, attempt: u32, tries: Tries, retry_at: Timestamp) {
        let waiting = StepState::Waiting {
            attempt,
            tries,
            retry_at,
            kept: None,
        };
        self.steps.insert(step, waiting);
    }

    /// Failures and waits of a step so far.
    #[must_use]
    pub fn tries(&self, step: &StepKey) -> Tries {
        match self.steps.get(step) {
            Some(StepState::Running(attempt)) => attempt.tries,
            Some(StepState::Waiting { tries, .. }) => *tries,
            Some(StepState::Completed | StepState::Failed(_)) | None => Tries::default(),
        }
    }

    /// Interrupted steps whose handle has not been tried yet, with attempt and reservation.
    pub fn unasked_handles(&self) -> impl Iterator<Item = (&StepKey, u32, Charge)> {
        self.steps.iter().filter_map(|(key, state)| match state {
            StepState::Waiting {
                attempt,
                kept: Some((_, reserved)),
                ..
            } => Some((key, *attempt, *reserved)),
            StepState::Waiting { .. }
            | StepState::Running(_)
            | StepState::Completed
            | StepState::Failed(_) => None,
        })
    }
}
