//! Runs driven again from a recording, in a store of their own.

use std::path::Path;
use std::sync::Arc;

use gemicro_batch::types::RUN_STEP;
use gemicro_core::budget::Limits;
use gemicro_core::drive::{AnyFlow, NewRun, RecordedRun, StopSignals};
use gemicro_core::execute::Executors;
use gemicro_core::llm::Backends;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure};
use gemicro_source::FetchRules;

use crate::child_runs::ChildRuns;
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

    /// Opens an engine over a new store in a folder, to run recordings again where they changed: `answered` puts the
    /// recorded answers in front of the executors of this configuration. Child runs are driven again, too. Agents and
    /// commands are not there, because a recording has none of the files that they work on.
    ///
    /// # Errors
    /// When the store cannot be made.
    pub async fn for_update(
        home: &Path,
        config: EngineConfig,
        answered: impl FnOnce(Executors) -> Executors,
    ) -> Result<Self, Failure> {
        let config = EngineConfig {
            home: home.to_owned(),
            store: None,
            agents: None,
            resident: false,
            ..config
        };
        let mut engine = Self::open(config).await?;
        engine.executors = answered(engine.executors);
        let children = ChildRuns::new(engine.clone());
        engine.executors = engine.executors.with(RUN_STEP, Arc::new(children));
        Ok(engine)
    }

    /// Starts a run under its recorded id, as its recording says.
    ///
    /// # Errors
    /// When its flow is not one of this program, or the store cannot take it.
    pub async fn replay(&self, recorded: Arc<RecordedRun>, stop: StopSignals) -> Result<DrivenRun, Failure> {
        let (flow, new) = self.recorded_start(recorded.events().first())?;
        let mut ctx = self.context(stop);
        ctx.options.recorded = Some(recorded);
        self.make(flow, ctx, new).await
    }

    /// Starts a run under its recorded id and with its recorded plan, but follows no recording.
    ///
    /// # Errors
    /// When its flow is not one of this program, or the store cannot take it.
    pub async fn run_again(&self, first: &Event, stop: StopSignals) -> Result<DrivenRun, Failure> {
        let (flow, mut new) = self.recorded_start(Some(first))?;
        new.started.program = self.options.program.clone();
        self.make(flow, self.context(stop), new).await
    }

    fn recorded_start(&self, first: Option<&Event>) -> Result<(&'static dyn AnyFlow, NewRun), Failure> {
        let started = first.and_then(|first| Some((first, first.update.as_run_started()?)));
        let Some((first, started)) = started else {
            let message = "the recording of a run does not begin with run_started";
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        };
        let new = NewRun {
            run: first.stream.clone(),
            parent_run: first.parent_run.clone(),
            started,
        };
        Ok((self.flow(&new.started.flow)?, new))
    }
}
