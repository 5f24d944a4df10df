//! [`AnyFlow`], the trait object for flows in a table.

use futures_util::future::BoxFuture;
use gemicro_event::redact::Redactor;
use gemicro_event::{Event, Failure, Json, Registry, StreamId};
use tokio::sync::oneshot;

use super::{DriveContext, DriveEnd, DriveError, Hold, NewRun, drive, drive_new, resume};
use crate::budget::Limits;
use crate::flow::{FlowDefinition, PlanFacts, check_model, read_plan};
use crate::run::events::{RunReaders, RunStarted};
use crate::store::BoardLine;

/// A [`FlowDefinition`] with the types of its plan and its state erased.
pub trait AnyFlow: Send + Sync {
    /// Its name in plans and journals.
    fn name(&self) -> &'static str;

    /// Registers the event types of the flow.
    fn register(&self, registry: &mut Registry);

    /// Whether its runs have boards.
    fn has_board(&self) -> bool;

    /// Code that preloads data while the first step runs. Blocks.
    fn warm_up(&self) -> Option<fn()>;

    /// The facts that can be read from a plan.
    ///
    /// # Errors
    /// When the plan cannot be read.
    fn facts(&self, plan: &Json) -> Result<PlanFacts, Failure>;

    /// The question to a person under a key, from the plan.
    fn question(&self, plan: &Json, key: &str) -> Option<String>;

    /// Answers to the question under a key that a person can type; the first one continues the run.
    fn choices(&self, key: &str) -> &'static [&'static str];

    /// Whether an answer is valid for the question under a key.
    fn accepts(&self, key: &str, answer: &Json) -> bool;

    /// Checks that a run of the plan can keep within these limits.
    ///
    /// # Errors
    /// `invalid_input`, with what to change.
    fn check_limits(&self, plan: &Json, limits: &Limits) -> Result<(), Failure>;

    /// The first event of a run of a plan. It is written to the journal, so plans with secrets are refused.
    ///
    /// # Errors
    /// When the plan cannot be read, or contains a secret.
    fn started_event(&self, plan: &Json, limits: &Limits, redactor: &Redactor)
    -> Result<RunStarted, Failure>;

    /// The board that results from a whole journal.
    ///
    /// # Errors
    /// When the plan in it cannot be read.
    fn whole_board(&self, events: &[Event]) -> Result<Vec<BoardLine>, Failure>;

    /// Takes the lease of an existing run.
    fn resume<'a>(
        &'a self,
        ctx: &'a DriveContext,
        run: &'a StreamId,
    ) -> BoxFuture<'a, Result<Hold, DriveError>>;

    /// Drives a run to its end.
    fn drive<'a>(&'a self, ctx: &'a DriveContext, hold: Hold) -> BoxFuture<'a, Result<DriveEnd, DriveError>>;

    /// Creates a run and drives it; `begun` is notified when the run is created.
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

    fn choices(&self, key: &str) -> &'static [&'static str] {
        F::choices(self, key)
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
