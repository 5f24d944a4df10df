//! The engine: starts, resumes, commands and cancels runs over one store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gemicro_agents::Capabilities;
use gemicro_core::budget::{DayGrant, Limits};
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::drive::{AnyFlow, DriveContext, DriveEnd, DriveError, DriveOptions, NewRun, StopSignals};
use gemicro_core::execute::Executors;
use gemicro_core::live::LiveHub;
use gemicro_core::research::{Base, ResearchPlan, UseAs};
use gemicro_core::run::events::RunStarted;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};
use gemicro_pipeline::workflow::WorkflowReader;
use gemicro_steps::Plan;
use gemicro_store::DurableStore;
use tokio::sync::oneshot;

use crate::dispatch::steps_stream;
use crate::notifications::Notifications;
use crate::run::{CancelOutcome, DrivenRun};
use crate::{day, validate_command};

/// Maximum wait between two checks of the lease of an owner that is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Maximum time that a cancel waits for the process that drives the run.
const CANCEL_WAIT: Duration = Duration::from_secs(12);

/// Delay before a flow preloads data, so that its first step starts first.
const WARM_UP_AFTER: Duration = Duration::from_millis(25);

/// How a new run relates to other runs and budgets.
struct RunPlace {
    parent: Option<StreamId>,
    /// Whether it is a step of its parent.
    part_of_parent: bool,
    /// Its share of the daily budget.
    day: Option<DayGrant>,
}

/// Starts, resumes and cancels runs over one store.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<DurableStore>,
    /// The same store with redaction; runs write through it.
    pub(crate) journal: Arc<dyn Store>,
    pub(crate) executors: Executors,
    /// The real executors of steps that go through the queue of a shared store.
    pub(crate) own: Option<Executors>,
    pub(crate) secrets: Vec<String>,
    pub(crate) options: DriveOptions,
    pub(crate) can: Capabilities,
    pub(crate) flows: Vec<&'static dyn AnyFlow>,
    pub(crate) resident: bool,
    pub(crate) credentials: String,
    pub(crate) day_budget: Limits,
    /// Reads the workflow of a project.
    pub(crate) workflows: WorkflowReader,
    /// `None` if the user wants none.
    pub(crate) notifications: Option<Notifications>,
}

impl Engine {
    /// For tests of crashes and takeovers: inserts a store between the runs and the journal, and changes their limits.
    #[doc(hidden)]
    #[must_use]
    pub fn tried_out(
        mut self,
        lease_ttl: Duration,
        max_parallel: usize,
        between: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>,
    ) -> Self {
        self.journal = between(self.journal);
        self.options.lease_ttl = lease_ttl;
        self.options.max_parallel = max_parallel;
        self
    }

    /// Adds a flow to the built-in ones.
    #[must_use]
    pub fn with_flow(mut self, flow: &'static dyn AnyFlow) -> Self {
        self.flows.push(flow);
        self
    }

    /// The flow with this name.
    ///
    /// # Errors
    /// When this program does not have it.
    pub fn flow(&self, name: &str) -> Result<&'static dyn AnyFlow, Failure> {
        let found = self.flows.iter().find(|flow| flow.name() == name);
        found.copied().ok_or_else(|| {
            let message = format!("this program has no flow {name}; a newer one may");
            Failure::new(ErrorKind::StorageError, message)
        })
    }

    /// The store, for lists, events and maintenance.
    #[must_use]
    pub fn store(&self) -> &Arc<DurableStore> {
        &self.store
    }

    /// Ends the use of the engine: delivers notifications for a short time, then closes the store.
    pub async fn close(&self) {
        if let Some(notifications) = &self.notifications {
            notifications.finish().await;
        }
        self.store.close().await;
    }

    /// Delivers notifications from now on, if the user wants any.
    pub(crate) async fn start_notifying(&self) {
        if let Some(notifications) = &self.notifications {
            notifications.start().await;
        }
    }

    /// Whether notifications wait for their delivery.
    pub(crate) fn has_notifications(&self) -> bool {
        let notifications = self.notifications.as_ref();
        notifications.is_some_and(Notifications::has_pending)
    }

    /// Starts a run of a plan; it is in the journal when this returns.
    ///
    /// # Errors
    /// When the store cannot save it.
    pub async fn start(&self, plan: &Plan, stop: StopSignals) -> Result<DrivenRun, Failure> {
        self.start_as(&StreamId::random(), plan, stop).await
    }

    /// Starts a run with an id chosen by the caller.
    ///
    /// # Errors
    /// When a run with that id exists, or the store cannot save it.
    pub async fn start_as(
        &self,
        id: &StreamId,
        plan: &Plan,
        stop: StopSignals,
    ) -> Result<DrivenRun, Failure> {
        let flow = self.flow(&plan.flow)?;
        let facts = flow.facts(&plan.plan)?;
        // Held until the run is in the journal, so that no other run reserves the same share.
        let taken = match facts.is_free {
            true => None,
            false => day::take(&self.store, self.day_budget, flow, plan).await?,
        };
        let (plan, grant) = match &taken {
            Some(taken) => (&taken.plan, Some(taken.grant)),
            None => (plan, None),
        };
        let place = RunPlace {
            parent: facts.parent,
            part_of_parent: false,
            day: grant,
        };
        self.start_at(place, id, plan, stop).await
    }

    /// Starts a run that is a step of another one, which is charged for it.
    pub(crate) async fn start_as_step(
        &self,
        parent: StreamId,
        id: &StreamId,
        plan: &Plan,
        stop: StopSignals,
    ) -> Result<DrivenRun, Failure> {
        let place = RunPlace {
            parent: Some(parent),
            part_of_parent: true,
            day: None,
        };
        self.start_at(place, id, plan, stop).await
    }

    async fn start_at(
        &self,
        place: RunPlace,
        id: &StreamId,
        plan: &Plan,
        stop: StopSignals,
    ) -> Result<DrivenRun, Failure> {
        let flow = self.flow(&plan.flow)?;
        let ctx = self.context(stop);
        let started = RunStarted {
            resident: self.resident,
            credential_fingerprint: self.resident.then(|| self.credential_fingerprint(id)),
            part_of_parent: place.part_of_parent,
            day: place.day,
            program: self.options.program.clone(),
            ..flow.started_event(&plan.plan, &plan.limits, &Redactor::new(&self.secrets))?
        };
        let new = NewRun {
            run: id.clone(),
            parent_run: place.parent,
            started,
        };
        self.make(flow, ctx, new).await
    }

    /// Makes a run and drives it.
    pub(crate) async fn make(
        &self,
        flow: &'static dyn AnyFlow,
        ctx: DriveContext,
        new: NewRun,
    ) -> Result<DrivenRun, Failure> {
        self.start_notifying().await;
        let id = new.run.clone();
        let (begun, made) = oneshot::channel();
        let live = ctx.live.clone();
        let run = self.spawn(
            flow,
            &id,
            live,
            async move { flow.drive_new(&ctx, new, begun).await },
        );
        match made.await {
            Ok(Ok(())) => Ok(run),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Failure::new(
                ErrorKind::Internal,
                format!("run {id} ended before it was created"),
            )),
        }
    }

    /// The reusable result of an ended run for a new one, with the plan it had.
    ///
    /// # Errors
    /// When the run does not exist, has not ended, or has nothing for this use.
    pub async fn base(&self, id: &StreamId, use_as: UseAs) -> Result<(ResearchPlan, Base), Failure> {
        let page = self.journal.read(id, 0, usize::MAX).await?;
        Base::read(&page.events, use_as)
    }

    /// Continues a run that was suspended or whose process died.
    ///
    /// # Errors
    /// When another process drives it, it has ended, or this program cannot read it.
    pub async fn resume(&self, id: &StreamId, stop: StopSignals) -> Result<DrivenRun, Failure> {
        self.resume_from(id, stop, |_| false).await
    }

    /// Like [`resume`](Self::resume), but takes the lease of an owner that is gone: at once in SQLite, in a shared store
    /// when it expires.
    ///
    /// # Errors
    /// Those of [`resume`](Self::resume).
    pub async fn resume_from(
        &self,
        id: &StreamId,
        stop: StopSignals,
        owner_is_gone: impl Fn(&str) -> bool,
    ) -> Result<DrivenRun, Failure> {
        let flow = self.flow_of(id).await?;
        self.start_notifying().await;
        let ctx = self.context(stop);
        loop {
            match flow.resume(&ctx, id).await {
                Ok(hold) => {
                    let live = ctx.live.clone();
                    return Ok(self.spawn(flow, id, live, async move { flow.drive(&ctx, hold).await }));
                }
                Err(DriveError::Store(StoreError::LeaseHeld {
                    owner, expires_at, ..
                })) if owner_is_gone(&owner) => {
                    if self.store.end_lease_of_dead(id, &owner, expires_at) {
                        continue;
                    }
                    // Try regularly: if a clock was set back, only a new attempt notices that the lease is over.
                    let wait = expires_at.since(Timestamp::now()) + Duration::from_millis(20);
                    let wait = wait.min(LOOK_AGAIN);
                    tokio::select! {
                        () = tokio::time::sleep(wait) => {}
                        () = ctx.stop.suspend.cancelled() => {
                            return Err(Failure::new(ErrorKind::Interrupted, "stopped while waiting for the run"));
                        }
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends a command to a run; secrets in it are redacted.
    ///
    /// # Errors
    /// When there is no such run or the store fails; `conflict` or `invalid_input` for a command without effect.
    pub async fn send(&self, id: &StreamId, command: AgentCommand) -> Result<AgentAck, Failure> {
        validate_command::check(self.store.as_ref(), id, &command).await?;
        Ok(self.journal.send_command(id, command).await?)
    }

    /// Cancels a run, whichever process drives it; a run without a driver is ended here.
    ///
    /// # Errors
    /// When there is no such run or the store fails.
    pub async fn cancel(&self, id: &StreamId, reason: &str) -> Result<CancelOutcome, Failure> {
        if self.store.run(id).await?.status.is_terminal() {
            return Ok(CancelOutcome::AlreadyEnded);
        }
        let flow = self.flow_of(id).await?;
        self.send(id, AgentCommand::cancel(reason)).await?;
        let ctx = self.context(StopSignals::default());
        let deadline = tokio::time::Instant::now() + CANCEL_WAIT;
        loop {
            match flow.resume(&ctx, id).await {
                // No process drives it: the waiting command ends it before any step starts.
                Ok(hold) => {
                    flow.drive(&ctx, hold).await.map_err(Failure::from)?;
                    return Ok(CancelOutcome::Cancelled);
                }
                Err(DriveError::Store(StoreError::Ended { .. })) => return Ok(CancelOutcome::Cancelled),
                // Its driver answers within a second, or its lease expires.
                Err(DriveError::Store(StoreError::LeaseHeld { .. })) => {
                    if tokio::time::Instant::now() >= deadline {
                        return Ok(CancelOutcome::Requested);
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The context of one driver. Each has its own name: two in one process must not take each other's lease.
    pub(crate) fn context(&self, stop: StopSignals) -> DriveContext {
        static DRIVERS: AtomicU64 = AtomicU64::new(1);
        let number = DRIVERS.fetch_add(1, Ordering::Relaxed);
        let options = DriveOptions {
            owner: format!("{} #{number}", self.options.owner),
            ..self.options.clone()
        };
        DriveContext {
            store: self.journal.clone(),
            executors: self.executors.clone(),
            live: LiveHub::new(),
            stop,
            options,
        }
    }

    async fn flow_of(&self, id: &StreamId) -> Result<&'static dyn AnyFlow, Failure> {
        self.flow(&self.store.run(id).await?.flow)
    }

    fn spawn(
        &self,
        flow: &dyn AnyFlow,
        id: &StreamId,
        live: LiveHub,
        drive: impl Future<Output = Result<DriveEnd, DriveError>> + Send + 'static,
    ) -> DrivenRun {
        let steps = self.own.is_some().then(|| steps_stream(id));
        let beside = steps.map(|steps| (self.store.clone(), steps));
        let driving = tokio::spawn(async move {
            let ended = drive.await;
            if let (Ok(DriveEnd::Terminal(_)), Some((store, steps))) = (&ended, beside) {
                // Everything in it is in the run's journal by now; if this fails, it is erased with the run.
                let _ = store.erase(&steps).await;
            }
            ended
        });
        if let Some(warm_up) = flow.warm_up() {
            tokio::spawn(async move {
                tokio::time::sleep(WARM_UP_AFTER).await;
                tokio::task::spawn_blocking(warm_up);
            });
        }
        DrivenRun {
            id: id.clone(),
            live,
            driving,
        }
    }
}
