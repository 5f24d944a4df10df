//! Where runs are carried out: in this process, or by the resident worker. An edge sees no difference.

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

use crate::questions::question_to_answer;
use crate::run::CancelOutcome;
use crate::run_state::RunSnapshot;
use crate::store_reads::StoreReads;

/// Starts runs and tells about them.
pub trait RunService: Send + Sync {
    /// Starts a run of a plan; it is in the journal when this returns.
    ///
    /// # Errors
    /// When the store cannot take it, or nobody is there to carry it out.
    fn start(&self, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        self.start_as(StreamId::random(), plan)
    }

    /// The same, under an id of the caller's choice: who gives up waiting for the answer can ask for the run later.
    ///
    /// # Errors
    /// As for [`start`](Self::start); `conflict` when there is a run of that id.
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>>;

    /// A run from its first event on, whoever carries it out.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>>;

    /// Sends a command to a run; secrets in it are replaced on the way.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>>;

    /// What keeps a run that has not ended from going on now, as the worker that carries it out knows. Asking starts no
    /// worker.
    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>>;

    /// Cancels a run, whoever carries it out.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>>;

    /// Continues a run that was stopped, unless a process already drives it.
    ///
    /// # Errors
    /// When it has ended, or cannot be carried out here.
    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;

    /// Stops a run and leaves it resumable. Nothing happens where it is not carried out here.
    ///
    /// # Errors
    /// When the process that carries it out cannot be reached.
    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;

    /// What is stored of its runs; the methods below read it.
    ///
    /// # Errors
    /// When the store cannot be opened.
    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>>;

    /// The run with this id, or the only one whose id begins so, as a line.
    ///
    /// # Errors
    /// `not_found` or `invalid_input` when that is not one run.
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

    /// What became of a command.
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

    /// Some lines of the board of a run, by place, and the counts of all.
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

    /// Runs as lines, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    fn list<'d>(&'d self, filter: &'d RunFilter) -> BoxFuture<'d, Result<Vec<RunRow>, Failure>> {
        Box::pin(async move { Ok(self.reads().await?.store().await?.runs(filter).await?) })
    }

    /// A run with what it asks a person.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    fn state<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunSnapshot, Failure>> {
        Box::pin(async move {
            let row = self.find(named).await?;
            RunSnapshot::of(self.reads().await?.store().await?, row).await
        })
    }

    /// Runs with what they ask, the newest first; `only_waiting` leaves only those that wait for a person.
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

    /// The question that an answer to this run is for.
    ///
    /// # Errors
    /// As for [`question_to_answer`].
    fn question<'d>(&'d self, row: &'d RunRow) -> BoxFuture<'d, Result<ItemQuestion, Failure>> {
        Box::pin(async move { question_to_answer(self.reads().await?.store().await?, row).await })
    }
}

/// A run that is watched. Dropping this ends the watching, not the run.
pub struct RunSightings {
    /// Id of the run that this belongs to.
    pub run: StreamId,
    /// What happens, from the first event on. Ends after the terminal event; for a run that was suspended while it
    /// was watched, after that event.
    pub items: BoxStream<'static, Result<RunSighting, Failure>>,
}

/// Something seen of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunSighting {
    /// An event of its journal, each once and in order.
    Event(Event),
    /// A piece of text on its way; it may be repeated or left out, and the step's result has all of it.
    Live(LiveItem),
}

impl RunSightings {
    /// Watches to the end and keeps the events.
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
            let message = format!("nothing is known of run {}", self.run);
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
