//! A flow of any kind, as a table of flows holds it: [`AnyFlow`].

use futures_util::future::BoxFuture;
use gemicro_event::redact::Redactor;
use gemicro_event::{Event, Failure, Json, Registry, StreamId};
use tokio::sync::oneshot;

use super::{DriveContext, DriveEnd, DriveError, Hold, NewRun, drive, drive_new, resume};
use crate::budget::Limits;
use crate::flow::{FlowDefinition, PlanFacts, check_model, read_plan};
use crate::run::events::{RunReaders, RunStarted};
use crate::store::BoardLine;

/// A [`FlowDefinition`] without the types of its plan and its state.
pub trait AnyFlow: Send + Sync {
    /// Its name in plans and journals.
    fn name(&self) -> &'static str;

    /// Registers the event types of the flow.
    fn register(&self, registry: &mut Registry);

    /// Whether its runs have boards.
    fn has_board(&self) -> bool;

    /// What is worth loading while the first step is on its way. Blocks.
    fn warm_up(&self) -> Option<fn()>;

    /// What is read off a plan.
    ///
    /// # Errors
    /// When the plan cannot be read.
    fn facts(&self, plan: &Json) -> Result<PlanFacts, Failure>;

    /// What a person is asked under a key, in the words of the plan.
    fn question(&self, plan: &Json, key: &str) -> Option<String>;

    /// Whether an answer says something to the question under a key.
    fn accepts(&self, key: &str, answer: &Json) -> bool;

    /// Checks whether a run of the plan can keep these limits.
    ///
    /// # Errors
    /// `invalid_input`, with what to change.
    fn check_limits(&self, plan: &Json, limits: &Limits) -> Result<(), Failure>;

    /// The first event of a run of a plan. What must not be written down is not run either: secrets are refused.
    ///
    /// # Errors
    /// When the plan cannot be read, or holds a secret.
    fn started_event(&self, plan: &Json, limits: &Limits, redactor: &Redactor)
    -> Result<RunStarted, Failure>;

    /// The board that a journal makes, from its first event on.
    ///
    /// # Errors
    /// When the plan in it cannot be read.
    fn whole_board(&self, events: &[Event]) -> Result<Vec<BoardLine>, Failure>;

    /// Takes the right to drive a run that exists.
    fn resume<'a>(
        &'a self,
        ctx: &'a DriveContext,
        run: &'a StreamId,
    ) -> BoxFuture<'a, Result<Hold, DriveError>>;

    /// Drives a run to its end.
    fn drive<'a>(&'a self, ctx: &'a DriveContext, hold: Hold) -> BoxFuture<'a, Result<DriveEnd, DriveError>>;

    /// Makes a run and drives it; `begun` is told when it is made.
    fn drive_new<'a>(
        &'a self,
        ctx: &'a DriveContext,
        new: NewRun,
        begun: oneshot::Sender<Result<(), DriveError>>,
    ) -> BoxFuture<'a, Result<DriveEnd, DriveError>>;
}

impl<F: FlowDefinition> AnyFlow for F {
    fn name(&self) -> &'static str {
        F::name(self)
    }

    fn register(&self, registry: &mut Registry) {
        F::register(self, registry);
    }

    fn has_board(&self) -> bool {
        F::has_board(self)
    }

    fn warm_up(&self) -> Option<fn()> {
        F::warm_up(self)
    }

    fn facts(&self, plan: &Json) -> Result<PlanFacts, Failure> {
        Ok(F::facts(self, &read_plan(plan)?))
    }

    fn question(&self, plan: &Json, key: &str) -> Option<String> {
        F::question(self, &read_plan(plan).ok()?, key)
    }

    fn accepts(&self, key: &str, answer: &Json) -> bool {
        F::accepts(self, key, answer)
    }

    fn check_limits(&self, plan: &Json, limits: &Limits) -> Result<(), Failure> {
        F::check_limits(self, &read_plan(plan)?, limits)
    }

    fn started_event(
        &self,
        plan: &Json,
        limits: &Limits,
        redactor: &Redactor,
    ) -> Result<RunStarted, Failure> {
        let plan: F::Plan = read_plan(plan)?;
        let facts = F::facts(self, &plan);
        for model in &facts.models {
            check_model(model, redactor)?;
        }
        let plan = self.without_secrets(plan, redactor)?;
        let (held_back, held_back_ms) = self.held_back(&plan, limits);
        Ok(RunStarted {
            flow: F::name(self).to_owned(),
            flow_version: self.version(),
            program: String::new(),
            title: facts.title.trim().lines().next().unwrap_or_default().to_owned(),
            plan: Json::of(&plan).expect("a plan has string keys only"),
            limits: *limits,
            held_back,
            held_back_ms,
            resubmits: facts.resubmits,
            resident: false,
            credential_fingerprint: None,
            part_of_parent: false,
            day: None,
        })
    }

    fn whole_board(&self, events: &[Event]) -> Result<Vec<BoardLine>, Failure> {
        let started = events.first().and_then(|event| event.update.as_run_started());
        let mut state = self.start(&started.map(|started| started.plan).unwrap_or_default())?;
        for event in events {
            self.fold(&mut state, event);
        }
        Ok(self.board(&mut state))
    }

    fn resume<'a>(
        &'a self,
        ctx: &'a DriveContext,
        run: &'a StreamId,
    ) -> BoxFuture<'a, Result<Hold, DriveError>> {
        Box::pin(resume(ctx, self, run))
    }

    fn drive<'a>(&'a self, ctx: &'a DriveContext, hold: Hold) -> BoxFuture<'a, Result<DriveEnd, DriveError>> {
        Box::pin(drive(ctx, self, hold))
    }

    fn drive_new<'a>(
        &'a self,
        ctx: &'a DriveContext,
        new: NewRun,
        begun: oneshot::Sender<Result<(), DriveError>>,
    ) -> BoxFuture<'a, Result<DriveEnd, DriveError>> {
        Box::pin(drive_new(ctx, self, new, begun))
    }
}
