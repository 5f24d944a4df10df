//! Runs driven again from a recording, in a store of their own.

use std::path::Path;
use std::sync::Arc;

use gemicro_core::budget::Limits;
use gemicro_core::drive::{NewRun, RecordedRun, StopSignals};
use gemicro_core::execute::Executors;
use gemicro_core::llm::Backends;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Failure};
use gemicro_source::FetchRules;

use crate::engine::Engine;
use crate::engine_config::EngineConfig;
use crate::run::DrivenRun;

impl Engine {
    /// Opens an engine over a new store in a folder, for replays only: its steps are answered by these executors, so it
    /// reaches no network, key, program or file of the user.
    ///
    /// # Errors
    /// When the store cannot be made.
    pub async fn for_replay(home: &Path, executors: Executors) -> Result<Self, Failure> {
        let config = EngineConfig {
            home: home.to_owned(),
            store: None,
            owner: "replay".to_owned(),
            program: concat!("gemicro ", env!("CARGO_PKG_VERSION")).to_owned(),
            llm: Backends::default(),
            fetch: FetchRules::default(),
            reader: None,
            agents: None,
            secrets: Vec::new(),
            share_sources: false,
            max_parallel: usize::MAX,
            resident: false,
            credentials: String::new(),
            day_budget: Limits::NONE,
            notify: None,
        };
        let mut engine = Self::open(config).await?;
        engine.executors = executors;
        Ok(engine)
    }

    /// Starts a run under its recorded id, as its recording says.
    ///
    /// # Errors
    /// When its flow is not one of this program, or the store cannot take it.
    pub async fn replay(&self, recorded: Arc<RecordedRun>, stop: StopSignals) -> Result<DrivenRun, Failure> {
        let first = recorded.events().first();
        let started = first.and_then(|first| Some((first, first.update.as_run_started()?)));
        let Some((first, started)) = started else {
            let message = "the recording of a run does not begin with run_started";
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        };
        let flow = self.flow(&started.flow)?;
        let new = NewRun {
            run: first.stream.clone(),
            parent_run: first.parent_run.clone(),
            started,
        };
        let mut ctx = self.context(stop);
        ctx.options.recorded = Some(recorded);
        self.make(flow, ctx, new).await
    }
}
