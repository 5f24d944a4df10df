//! Runs inside this process; the store is opened on first use, so that the server is ready at once.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_engine::{CancelOutcome, LocalRunService, Plan, RunService, RunSightings, StoreReads};
use gemicro_event::{Failure, StreamId};
use tokio::sync::OnceCell;

use crate::command_error::CommandError;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;

/// The run service of this process, opened on first use.
pub(crate) struct LazyLocalRunService {
    ctx: Arc<Context>,
    here: OnceCell<LocalRunService>,
}

impl LazyLocalRunService {
    pub(super) fn new(ctx: Arc<Context>) -> Self {
        Self {
            ctx,
            here: OnceCell::new(),
        }
    }

    /// Stops every run resumably, closes the store, and returns the stopped runs.
    pub(super) async fn close(&self) -> Vec<StreamId> {
        let Some(here) = self.here.get() else {
            return Vec::new();
        };
        let runs = here.runs();
        here.suspend_all().await;
        here.engine().close().await;
        runs
    }

    async fn here(&self) -> Result<&LocalRunService, Failure> {
        self.here
            .get_or_try_init(|| async {
                let layers = self.ctx.layers()?;
                let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
                Ok(LocalRunService::new(self.ctx.engine(&layers, &settings).await?))
            })
            .await
            .map_err(CommandError::into_failure)
    }
}

impl RunService for LazyLocalRunService {
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        Box::pin(async move { self.here().await?.start_as(run, plan).await })
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.watch(&run).await })
    }

    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.send(&run, command).await })
    }

    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>> {
        Box::pin(async { self.here().await?.reads().await })
    }

    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>> {
        let run = run.clone();
        Box::pin(async move {
            match self.here().await {
                Ok(here) => here.trouble(&run).await,
                Err(failure) => Some(failure),
            }
        })
    }

    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        let (run, reason) = (run.clone(), reason.to_owned());
        Box::pin(async move { self.here().await?.cancel(&run, &reason).await })
    }

    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.resume(&run).await })
    }

    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.suspend(&run).await })
    }
}
