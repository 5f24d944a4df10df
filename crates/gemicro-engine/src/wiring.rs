//! Builds an engine from store, sources, models and agents.

use std::sync::Arc;

use gemicro_agents::{AgentExecutor, Capabilities, MAX_AGENTS, with_agents};
use gemicro_batch::types::RUN_STEP;
use gemicro_core::blob::Blobs;
use gemicro_core::drive::DriveOptions;
use gemicro_core::execute::Executor;
use gemicro_core::prompt::{RECALL_STEP, RecallExecutor};
use gemicro_core::research::{ResearchExecutors, executors};
use gemicro_core::store::RedactingStore;
use gemicro_event::Failure;
use gemicro_event::redact::Redactor;
use gemicro_source::FolderLibrary;
use gemicro_steps::{BoundedExecutor, StepParts};
use gemicro_store::DurableStore;

use crate::child_runs::ChildRuns;
use crate::engine::Engine;
use crate::engine_config::EngineConfig;
use crate::flows::FLOWS;
use crate::notifications::Notifications;
use crate::shared_resources::SharedResources;

impl Engine {
    /// Opens the store in the state folder and registers all executors.
    ///
    /// # Errors
    /// When the store cannot be opened; the error says why and what to do.
    pub async fn open(config: EngineConfig) -> Result<Self, Failure> {
        let store = Arc::new(DurableStore::at(&config.home, config.store.as_deref()).await?);
        let resources = SharedResources::new(&config.home);
        Ok(Self::over(store, config, resources))
    }

    /// Registers all executors over an open store, with shared resources.
    #[must_use]
    pub fn over(store: Arc<DurableStore>, config: EngineConfig, resources: SharedResources) -> Self {
        let SharedResources {
            agents: commons,
            indexes,
        } = resources;
        let can = Capabilities::new(config.llm.clone(), config.agents.as_ref());
        let blobs: Arc<dyn Blobs> = store.clone();
        let library = FolderLibrary::new(blobs, config.home.join("index"), config.fetch)
            .reading_with(config.reader)
            .sharing_indexes(indexes);
        let library = if config.share_sources {
            library.share_readings()
        } else {
            library
        };
        let options = DriveOptions {
            owner: config.owner,
            program: config.program,
            max_parallel: config.max_parallel,
            ..DriveOptions::default()
        };
        let journal = Arc::new(RedactingStore::new(store.clone(), Redactor::new(&config.secrets)));
        let agent_executor = config.agents.as_ref().map(|setup| {
            let secrets = config.secrets.clone();
            let agents = AgentExecutor::new(commons.clone(), setup.clone(), secrets, journal.clone());
            Arc::new(BoundedExecutor::new(agents, MAX_AGENTS)) as Arc<dyn Executor>
        });
        let parts_of_research = ResearchExecutors {
            library: Some(Arc::new(library)),
            llm: match (&config.agents, &agent_executor) {
                (Some(setup), Some(executor)) => with_agents(config.llm, setup, executor),
                _ => config.llm,
            },
        };
        let agents = config.agents.as_ref();
        let workflows = agents.map(|agents| agents.workflows.clone()).unwrap_or_default();
        let parts = StepParts {
            store: store.clone(),
            agents: config.agents,
            commons,
            agent_executor,
            secrets: config.secrets.clone(),
        };
        let notifications = config
            .notify
            .map(|setup| Notifications::new(setup, &store, &config.home));
        let recall = RecallExecutor::new(store.clone());
        let executors = parts.added_to(executors(parts_of_research));
        let executors = executors.with(RECALL_STEP, Arc::new(recall));
        let mut engine = Self {
            store,
            journal,
            executors,
            own: None,
            secrets: config.secrets,
            options,
            can,
            flows: FLOWS.to_vec(),
            resident: false,
            credentials: config.credentials,
            day_budget: config.day_budget,
            workflows,
            notifications,
        };
        // In a worker over a shared store, any worker may run its steps.
        if config.resident && engine.store.is_shared() {
            engine.queue_steps();
        }
        // Child runs use the executors so far, so they cannot have child runs themselves.
        let children = ChildRuns::new(engine.clone());
        engine.executors = engine.executors.with(RUN_STEP, Arc::new(children));
        engine.resident = config.resident;
        engine
    }
}
