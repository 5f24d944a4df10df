//! The interface to runs, in this process or in the background worker. The edges see no difference.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_batch::contract::ItemQuestion;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::live::LiveItem;
use gemicro_core::run::RunRow;
use gemicro_core::store::Store;
use gemicro_event::{CommandId, ErrorKind, Event, Failure, StreamId};
use gemicro_steps::Plan;
use gemicro_store::{BoardPage, RunFilter, StoredBoard};

use crate::inbox::{InboxEntry, inbox};
use crate::questions::question_to_answer;
use crate::run::CancelOutcome;
use crate::run_state::RunSnapshot;
use crate::store_reads::StoreReads;

/// Starts, watches and controls runs.
pub trait RunService: Send + Sync {
    /// Starts a run of a plan; it is in the journal when this returns.
    ///
    /// # Errors
    /// When the store cannot save it, or no worker can run it.
    fn start(&self, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        self.start_as(StreamId::random(), plan)
    }

    /// The same with an id chosen by the caller, who can then find the run later even if this call is interrupted.
    ///
    /// # Errors
    /// Those of [`start`](Self::start); `conflict` if a run with that id exists.
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>>;

    /// Watches a run from its first event, whichever process drives it.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>>;

    /// Sends a command to a run; secrets in it are redacted.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>>;

    /// The problem that blocks an open run now, as known to the worker that drives it. Does not start a worker.
    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>>;

    /// Cancels a run, whichever process drives it.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>>;

    /// Continues a run that was stopped, unless a process already drives it.
    ///
    /// # Errors
    /// When it has ended, or cannot be driven here.
    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;

    /// Stops a run and leaves it resumable. Does nothing if it is not driven here.
    ///
    /// # Errors
    /// When the process that drives it cannot be reached.
    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;

    /// The store of its runs; the provided methods read from it.
    ///
    /// # Errors
    /// When the store cannot be opened.
    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>>;

    /// The list entry of the run with this id, or of the only one whose id has this prefix.
    ///
    /// # Errors
    /// `not_found` or `invalid_input` when there is no match or several.
    fn find<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunRow, Failure>> {
        Box::pin(async move {
            let reads = self.reads().await?;
            let store = reads.store().await?;
            Ok(store.run(&store.find_run(named).await?).await?)
        })
    }

    /// Every event of a run so far.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn events<'d>(&'d self, run: &'d StreamId) -> BoxFuture<'d, Result<Vec<Event>, Failure>> {
        Box::pin(async move {
            Ok(self
                .reads()
                .await?
                .store()
                .await?
                .read(run, 0, usize::MAX)
                .await?
                .events)
        })
    }

    /// The acknowledgement of a command.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn acknowledgement<'d>(
        &'d self,
        run: &'d StreamId,
        command: &'d CommandId,
    ) -> BoxFuture<'d, Result<Option<AgentAck>, Failure>> {
        Box::pin(async move {
            Ok(self
                .reads()
                .await?
                .store()
                .await?
                .acknowledgement(run, command)
                .await?)
        })
    }

    /// Some lines of the board of a run, in order, and the counts of all.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn board<'d>(
        &'d self,
        run: &'d StreamId,
        page: BoardPage,
    ) -> BoxFuture<'d, Result<StoredBoard, Failure>> {
        Box::pin(async move { Ok(self.reads().await?.store().await?.board_page(run, page).await?) })
    }

    /// The list entries of runs, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    fn list<'d>(&'d self, filter: &'d RunFilter) -> BoxFuture<'d, Result<Vec<RunRow>, Failure>> {
        Box::pin(async move { Ok(self.reads().await?.store().await?.runs(filter).await?) })
    }

    /// A run with its open question.
    ///
    /// # Errors
    /// Those of [`find`](Self::find).
    fn state<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunSnapshot, Failure>> {
        Box::pin(async move {
            let row = self.find(named).await?;
            RunSnapshot::of(self.reads().await?.store().await?, row).await
        })
    }

    /// Runs with their open questions, the newest first; with `only_waiting`, only those that wait for a person.
    ///
    /// # Errors
    /// When the store fails.
    fn states<'d>(
        &'d self,
        filter: &'d RunFilter,
        only_waiting: bool,
    ) -> BoxFuture<'d, Result<Vec<RunSnapshot>, Failure>> {
        Box::pin(async move {
            let reads = self.reads().await?;
            match only_waiting {
                true => RunSnapshot::list_waiting(reads.store().await?, filter).await,
                false => RunSnapshot::list(reads.store().await?, filter).await,
            }
        })
    }

    /// Everything that waits for a person, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    fn inbox(&self) -> BoxFuture<'_, Result<Vec<InboxEntry>, Failure>> {
        Box::pin(async move { inbox(self.reads().await?.store().await?).await })
    }

    /// The question that an answer to this run is for.
    ///
    /// # Errors
    /// Those of [`question_to_answer`].
    fn question<'d>(&'d self, row: &'d RunRow) -> BoxFuture<'d, Result<ItemQuestion, Failure>> {
        Box::pin(async move { question_to_answer(self.reads().await?.store().await?, row).await })
    }
}

/// A watched run. Dropping this stops watching, not the run.
pub struct RunSightings {
    /// Id of the run.
    pub run: StreamId,
    /// Events and live text, from the first event. Ends after the terminal event; if the run is suspended while it is
    /// watched, after that event.
    pub items: BoxStream<'static, Result<RunSighting, Failure>>,
}

/// An item of a watched run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunSighting {
    /// An event of its journal; each once and in order.
    Event(Event),
    /// Live text; it may be repeated or left out, and the step's result has all of it.
    Live(LiveItem),
}

impl RunSightings {
    /// Watches to the end and returns the events.
    ///
    /// # Errors
    /// When watching ends before the run does.
    pub async fn into_events(mut self) -> Result<Vec<Event>, Failure> {
        let mut events = Vec::new();
        while let Some(item) = self.items.next().await {
            if let RunSighting::Event(event) = item? {
                events.push(event);
            }
        }
        if events.is_empty() {
            let message = format!("run {} has no events", self.run);
            return Err(Failure::new(ErrorKind::Internal, message));
        }
        Ok(events)
    }
}

impl std::fmt::Debug for RunSightings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watching")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
