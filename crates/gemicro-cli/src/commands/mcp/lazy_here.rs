//! Runs carried out in this process; the store is opened when it is first needed, so that the server is ready at once.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::run::RunRow;
use gemicro_engine::{CancelOutcome, Desk, Here, Plan, Watching};
use gemicro_event::{CommandId, Event, Failure, StreamId};
use gemicro_store::{Board, BoardPage, DurableStore, RunFilter};
use tokio::sync::OnceCell;

use crate::config::{ResearchFlags, ResearchSettings};
use crate::session::Context;
use crate::trouble::Stopped;

/// A desk of this process, opened at its first use.
pub(crate) struct LazyHere {
    ctx: Arc<Context>,
    here: OnceCell<Here>,
}

impl LazyHere {
    /// Opens nothing yet.
    pub(super) fn new(ctx: Arc<Context>) -> Self {
        Self {
            ctx,
            here: OnceCell::new(),
        }
    }

    /// Stops every run, leaves them resumable, and closes the store. Tells which runs they were.
    pub(super) async fn close(&self) -> Vec<StreamId> {
        let Some(here) = self.here.get() else {
            return Vec::new();
        };
        let runs = here.runs();
        here.suspend_all().await;
        here.engine().store().close().await;
        runs
    }

    async fn here(&self) -> Result<&Here, Failure> {
        self.here
            .get_or_try_init(|| async {
                let layers = self.ctx.layers()?;
                let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
                Ok(Here::new(self.ctx.engine(&layers, &settings).await?))
            })
            .await
            .map_err(Stopped::into_failure)
    }
}

impl Desk for LazyHere {
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<Watching, Failure>> {
        Box::pin(async move { self.here().await?.start_as(run, plan).await })
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<Watching, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.watch(&run).await })
    }

    fn find(&self, named: &str) -> BoxFuture<'_, Result<RunRow, Failure>> {
        let named = named.to_owned();
        Box::pin(async move { self.here().await?.find(&named).await })
    }

    fn events(&self, run: &StreamId) -> BoxFuture<'_, Result<Vec<Event>, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.events(&run).await })
    }

    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.send(&run, command).await })
    }

    fn acknowledgement(
        &self,
        run: &StreamId,
        command: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, Failure>> {
        let (run, command) = (run.clone(), command.clone());
        Box::pin(async move { self.here().await?.acknowledgement(&run, &command).await })
    }

    fn store(&self) -> BoxFuture<'_, Result<DurableStore, Failure>> {
        Box::pin(async { self.here().await?.store().await })
    }

    fn board(&self, run: &StreamId, page: BoardPage) -> BoxFuture<'_, Result<Board, Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.board(&run, page).await })
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

    fn list(&self, filter: &RunFilter) -> BoxFuture<'_, Result<Vec<RunRow>, Failure>> {
        let filter = filter.clone();
        Box::pin(async move { self.here().await?.list(&filter).await })
    }

    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        let (run, reason) = (run.clone(), reason.to_owned());
        Box::pin(async move { self.here().await?.cancel(&run, &reason).await })
    }

    fn go_on(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.go_on(&run).await })
    }

    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(async move { self.here().await?.suspend(&run).await })
    }
}
