//! The one place where store, sources and models meet.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gemicro_core::ask::{AGENT_STEP, AgentName, AskPlan};
use gemicro_core::blob::Blobs;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::drive::{DriveContext, DriveError, DriveOptions, Hold, StopSignals, begin};
use gemicro_core::execute::Executors;
use gemicro_core::live::LiveHub;
use gemicro_core::llm::Backends;
use gemicro_core::offline::warm_up;
use gemicro_core::prompt::ModelTask;
use gemicro_core::research::{Base, ResearchExecutors, ResearchPlan, UseAs, executors};
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_core::store::{Store, StoreError};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};
use gemicro_source::FetchRules;
use gemicro_store::SqliteStore;
use sha2::{Digest, Sha256};

use crate::agents::{AgentCommons, AgentExecutor, AgentSetup};
use crate::flows::FlowKind;
use crate::redacting::RedactingStore;
use crate::{CancelOutcome, FolderLibrary, Plan, Run};

/// How long a cancel waits for the process that drives the run.
const CANCEL_WAIT: Duration = Duration::from_secs(12);

/// The language files are read while the first model call is on its way, not when findings wait for them.
const WARM_UP_AFTER: Duration = Duration::from_millis(25);

/// What an engine is opened with.
#[derive(Clone)]
pub struct EngineConfig {
    /// The state folder.
    pub home: PathBuf,
    /// Who drives, for people who find a run held: host and process.
    pub owner: String,
    /// Program and version, for the journal.
    pub program: String,
    /// The models that can be asked.
    pub llm: Backends,
    /// Under which rules pages are fetched.
    pub fetch: FetchRules,
    /// What agents need; without it there are none.
    pub agents: Option<AgentSetup>,
    /// Values that must never be written down, beside those with the shape of a secret.
    pub secrets: Vec<String>,
    /// Several runs of this process share one reading of the same sources.
    pub share_sources: bool,
    /// Steps of one run at the same time.
    pub max_parallel: usize,
    /// The resident worker is to go on with runs that are cut off.
    pub resident: bool,
    /// All keys and endpoints, as one text: who goes on with a run of a worker must have the same.
    pub credentials: String,
}

/// Starts, resumes and cancels runs over one store.
#[derive(Clone)]
pub struct Engine {
    store: Arc<SqliteStore>,
    /// The same store behind the redaction; runs write through it.
    journal: Arc<dyn Store>,
    executors: Executors,
    options: DriveOptions,
    can: Can,
    resident: bool,
    credentials: String,
}

/// What can be carried out with the keys and logins that there are.
#[derive(Clone)]
struct Can {
    llm: Backends,
    agents: BTreeSet<AgentName>,
}

impl Engine {
    /// Opens the store in the state folder and registers all executors.
    ///
    /// # Errors
    /// When the store cannot be opened: it says why and what to do.
    pub async fn open(config: EngineConfig) -> Result<Self, Failure> {
        let store = Arc::new(SqliteStore::open(&config.home).await?);
        let commons = AgentCommons::new(&config.home);
        Ok(Self::over(store, config, commons))
    }

    /// Registers all executors over a store that is open, with what agents of several engines share.
    #[must_use]
    pub fn over(store: Arc<SqliteStore>, config: EngineConfig, commons: AgentCommons) -> Self {
        let blobs: Arc<dyn Blobs> = store.clone();
        let library = FolderLibrary::new(blobs, config.home.join("index"), config.fetch);
        let library = if config.share_sources {
            library.sharing()
        } else {
            library
        };
        let has_access = |setup: &AgentSetup| {
            let ways = setup.access.iter().filter(|(_, way)| way.is_ok());
            ways.map(|(agent, _)| *agent).collect()
        };
        let can = Can {
            llm: config.llm.clone(),
            agents: config.agents.as_ref().map(has_access).unwrap_or_default(),
        };
        let parts = ResearchExecutors {
            library: Some(Arc::new(library)),
            llm: config.llm,
        };
        let options = DriveOptions {
            owner: config.owner,
            program: config.program,
            max_parallel: config.max_parallel,
            ..DriveOptions::default()
        };
        let journal = Arc::new(RedactingStore::new(store.clone(), Redactor::new(&config.secrets)));
        let mut executors = executors(parts);
        if let Some(setup) = config.agents {
            let agents = AgentExecutor::new(commons, setup, config.secrets.clone(), journal.clone());
            executors = executors.with(AGENT_STEP, Arc::new(agents));
        }
        Self {
            store,
            journal,
            executors,
            options,
            can,
            resident: config.resident,
            credentials: config.credentials,
        }
    }

    /// Puts a store of a test between the runs and the journal and changes their limits: how deaths and
    /// takeovers are tried out.
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

    /// The store, for lists, events and maintenance.
    #[must_use]
    pub fn store(&self) -> &Arc<SqliteStore> {
        &self.store
    }

    /// Starts a run of a plan; it is in the journal when this returns.
    ///
    /// # Errors
    /// When the store cannot take it.
    pub async fn start(&self, plan: &Plan, stop: StopSignals) -> Result<Run, Failure> {
        self.start_as(&StreamId::random(), plan, stop).await
    }

    /// Starts a run under an id of the caller's choice.
    ///
    /// # Errors
    /// When there is a run of that id, or the store cannot take it.
    pub async fn start_as(&self, id: &StreamId, plan: &Plan, stop: StopSignals) -> Result<Run, Failure> {
        let ctx = self.context(stop);
        let started = RunStarted {
            resident: self.resident,
            carrier: self.resident.then(|| self.carrier(id)),
            ..plan.started(&self.options.program)
        };
        let hold = begin(&ctx, id, plan.parent(), &started).await?;
        Ok(self.spawn(FlowKind::named(&started.flow)?, ctx, id.clone(), hold))
    }

    /// A run's mark of the keys and endpoints it was started with; it says nothing to who does not have them.
    fn carrier(&self, run: &StreamId) -> String {
        let digest = Sha256::digest(format!("{run}\n{}", self.credentials));
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether the keys and logins that there are can carry a run.
    ///
    /// # Errors
    /// What is missing.
    pub async fn can_carry(&self, id: &StreamId) -> Result<(), Failure> {
        let first = self.store.read(id, 0, 1).await?;
        let started = first
            .events
            .first()
            .and_then(|event| event.update.as_run_started());
        let Some(started) = started else {
            let message = format!("run {id} has no beginning");
            return Err(Failure::new(ErrorKind::StorageError, message));
        };
        if started.carrier.is_some_and(|carrier| carrier != self.carrier(id)) {
            let message = "it was started with other keys or endpoints";
            return Err(Failure::new(ErrorKind::AuthFailed, message));
        }
        let missing = match FlowKind::named(&started.flow)? {
            FlowKind::Ask => {
                let plan: Option<AskPlan> = started.plan.parse().ok();
                let agent = plan.map(|plan| plan.task.agent);
                agent
                    .filter(|agent| !self.can.agents.contains(agent))
                    .map(|agent| agent.to_string())
            }
            FlowKind::Research => {
                let plan: Option<ResearchPlan> = started.plan.parse().ok();
                let backend = plan.and_then(|plan| plan.engine.llm().map(|llm| llm.backend.clone()));
                backend.filter(|backend| !self.can.llm.has(backend))
            }
            FlowKind::Prompt => {
                let plan: Option<ModelTask> = started.plan.parse().ok();
                let backend = plan.map(|plan| plan.llm.backend);
                backend.filter(|backend| !self.can.llm.has(backend))
            }
        };
        match missing {
            None => Ok(()),
            Some(missing) => {
                let message = format!("there is no key and no login for {missing}");
                Err(Failure::new(ErrorKind::AuthFailed, message))
            }
        }
    }

    /// What a run that has ended brings into a new one, with the plan it had.
    ///
    /// # Errors
    /// When there is no such run, it has not ended, or it has nothing to offer for this use.
    pub async fn base(&self, id: &StreamId, use_as: UseAs) -> Result<(ResearchPlan, Base), Failure> {
        let page = self.journal.read(id, 0, usize::MAX).await?;
        Base::read(&page.events, use_as)
    }

    /// Continues a run that was suspended or whose process died.
    ///
    /// # Errors
    /// When another process drives it, it has ended, or this program cannot read it.
    pub async fn resume(&self, id: &StreamId, stop: StopSignals) -> Result<Run, Failure> {
        self.resume_from(id, stop, |_| false).await
    }

    /// Continues a run like [`resume`](Self::resume), but waits for the lease of an owner that is gone to
    /// run out.
    ///
    /// # Errors
    /// As for [`resume`](Self::resume).
    pub async fn resume_from(
        &self,
        id: &StreamId,
        stop: StopSignals,
        owner_is_gone: impl Fn(&str) -> bool,
    ) -> Result<Run, Failure> {
        let flow = self.flow_of(id).await?;
        let ctx = self.context(stop);
        loop {
            match flow.resume(&ctx, id).await {
                Ok(hold) => return Ok(self.spawn(flow, ctx, id.clone(), hold)),
                Err(DriveError::Store(StoreError::LeaseHeld {
                    owner, expires_at, ..
                })) if owner_is_gone(&owner) => {
                    let wait = expires_at.since(Timestamp::now()) + Duration::from_millis(20);
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

    /// Sends a command to a run; secrets in it are replaced on the way.
    ///
    /// # Errors
    /// When there is no such run or the store fails.
    pub async fn send(&self, id: &StreamId, command: AgentCommand) -> Result<AgentAck, Failure> {
        Ok(self.journal.send_command(id, command).await?)
    }

    /// Cancels a run, whoever drives it; a run that nobody drives is ended here.
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
                // Nobody drives it: the command that waits for it ends it before any step starts.
                Ok(hold) => {
                    flow.drive(&ctx, hold).await.map_err(Failure::from)?;
                    return Ok(CancelOutcome::Cancelled);
                }
                Err(DriveError::Store(StoreError::Ended { .. })) => return Ok(CancelOutcome::Cancelled),
                // Its driver answers within a second, or its lease runs out.
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

    /// What one driver is given. Each has a name of its own: two in one process must not take each other's lease.
    fn context(&self, stop: StopSignals) -> DriveContext {
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

    async fn flow_of(&self, id: &StreamId) -> Result<FlowKind, Failure> {
        FlowKind::named(&self.store.run(id).await?.flow)
    }

    fn spawn(&self, flow: FlowKind, ctx: DriveContext, id: StreamId, hold: Hold) -> Run {
        let live = ctx.live.clone();
        let driving = tokio::spawn(async move { flow.drive(&ctx, hold).await });
        if flow == FlowKind::Research {
            tokio::spawn(async {
                tokio::time::sleep(WARM_UP_AFTER).await;
                tokio::task::spawn_blocking(warm_up);
            });
        }
        Run { id, live, driving }
    }
}
