//! Agents, the library's public interface: an agent turns a query into a stream of events.

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_event::{AgentUpdate, Failure, StreamId};

use crate::corpus::Library;
use crate::drive::{DriveContext, DriveError, DriveOptions, StopSignals, begin, drive};
use crate::execute::Executors;
use crate::flow::Flow;
use crate::live::LiveHub;
use crate::llm::{GemicroConfig, LlmBackend};
use crate::run::events::RunStarted;
use crate::store::{MemoryStore, Store, StoreError};

pub use crate::research::DeepResearchAgent;

/// Code that turns a query into a stream of events. Dropping the stream cancels the run.
pub trait Agent: Send + Sync {
    /// Starts work on a query; events come as they happen, the last one is terminal.
    fn execute(&self, query: &str, ctx: AgentContext) -> BoxStream<'static, Result<AgentUpdate, AgentError>>;

    /// The name by which a caller chooses the agent.
    fn name(&self) -> &str;

    /// What it does, in one sentence.
    fn description(&self) -> &str;
}

/// Context shared by all agents; an agent's own settings go to its constructor.
#[derive(Clone, Default)]
pub struct AgentContext {
    /// The model; agents that can work without one do so if it is absent.
    pub llm: Option<Arc<dyn LlmBackend>>,
    /// The sources to answer from; if absent, no sources are read.
    pub library: Option<Arc<dyn Library>>,
    /// The store that receives the journal; defaults to one in memory.
    pub store: Option<Arc<dyn Store>>,
    /// Settings that all agents share.
    pub config: GemicroConfig,
}

/// An agent's stream ended without a terminal event.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The request cannot be carried out.
    #[error(transparent)]
    Refused(Failure),
    /// The run could not be driven further.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The journal could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The driver panicked; what it wrote before stays in the journal.
    #[error("the driver of the run panicked")]
    Panicked,
}

/// Drives a run in a background task and returns the stream of its events.
pub(crate) fn run_beside<F: Flow + 'static>(
    store: Option<Arc<dyn Store>>,
    flow: Arc<F>,
    started: RunStarted,
    executors: Executors,
) -> BoxStream<'static, Result<AgentUpdate, AgentError>> {
    let store = store.unwrap_or_else(|| Arc::new(MemoryStore::new()));
    let stop = StopSignals::default();
    let cancel_when_dropped = stop.cancel.clone().drop_guard();
    let ctx = DriveContext {
        store: store.clone(),
        executors,
        live: LiveHub::new(),
        stop,
        options: DriveOptions::default(),
    };
    Box::pin(stream! {
        let _cancel_when_dropped = cancel_when_dropped;
        let run = StreamId::random();
        let lease = match begin(&ctx, &run, None, &started).await {
            Ok(lease) => lease,
            Err(error) => {
                yield Err(error.into());
                return;
            }
        };
        let mut events = store.subscribe(&run, 0);
        let driving = tokio::spawn(async move { drive(&ctx, flow.as_ref(), lease).await });
        tokio::pin!(driving);
        let mut is_driving = true;
        loop {
            tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(Ok(event)) => yield Ok(event.update),
                    Some(Err(error)) => yield Err(error.into()),
                    None => return,
                },
                driven = &mut driving, if is_driving => {
                    is_driving = false;
                    let problem = match driven {
                        Ok(Ok(_)) => continue,
                        Ok(Err(error)) => error.into(),
                        Err(_) => AgentError::Panicked,
                    };
                    yield Err(problem);
                    return;
                }
            }
        }
    })
}
