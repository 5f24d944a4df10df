//! Where runs are carried out: in this process, or by the resident worker. An edge sees no difference.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::live::LiveItem;
use gemicro_core::run::RunRow;
use gemicro_event::{CommandId, ErrorKind, Event, Failure, StreamId};
use gemicro_store::{Board, BoardPage, DurableStore, RunFilter};

use crate::{CancelOutcome, Plan};

/// Starts runs and tells about them.
pub trait Desk: Send + Sync {
    /// Starts a run of a plan; it is in the journal when this returns.
    ///
    /// # Errors
    /// When the store cannot take it, or nobody is there to carry it out.
    fn start(&self, plan: Plan) -> BoxFuture<'_, Result<Watching, Failure>> {
        self.start_as(StreamId::random(), plan)
    }

    /// The same, under an id of the caller's choice: who gives up waiting for the answer can ask for the run later.
    ///
    /// # Errors
    /// As for [`start`](Self::start); `conflict` when there is a run of that id.
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<Watching, Failure>>;

    /// A run from its first event on, whoever carries it out.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<Watching, Failure>>;

    /// The run with this id, or the only one whose id begins so, as a line.
    ///
    /// # Errors
    /// `not_found` or `invalid_input` when that is not one run.
    fn find(&self, named: &str) -> BoxFuture<'_, Result<RunRow, Failure>>;

    /// Every event of a run so far.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn events(&self, run: &StreamId) -> BoxFuture<'_, Result<Vec<Event>, Failure>>;

    /// Sends a command to a run; secrets in it are replaced on the way.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>>;

    /// What became of a command.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn acknowledgement(
        &self,
        run: &StreamId,
        command: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, Failure>>;

    /// The store with the journals of its runs, to read them.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn store(&self) -> BoxFuture<'_, Result<DurableStore, Failure>>;

    /// Some lines of the board of a run, by place, and the counts of all.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn board(&self, run: &StreamId, page: BoardPage) -> BoxFuture<'_, Result<Board, Failure>>;

    /// What keeps a run that has not ended from going on now, as the worker that carries it out knows. Asking starts no
    /// worker.
    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>>;

    /// Runs as lines, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    fn list(&self, filter: &RunFilter) -> BoxFuture<'_, Result<Vec<RunRow>, Failure>>;

    /// Cancels a run, whoever carries it out.
    ///
    /// # Errors
    /// `not_found` when there is no such run.
    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>>;

    /// Goes on with a run that was stopped, unless somebody does already.
    ///
    /// # Errors
    /// When it has ended, or cannot be carried out here.
    fn go_on(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;

    /// Stops a run and leaves it resumable. Nothing happens where it is not carried out here.
    ///
    /// # Errors
    /// When the one who carries it out cannot be told.
    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>>;
}

/// A run that is watched. Dropping this ends the watching, not the run.
pub struct Watching {
    /// The run.
    pub run: StreamId,
    /// What happens, from the first event on. Ends after the terminal event; for a run that was suspended while it
    /// was watched, after that event.
    pub items: BoxStream<'static, Result<Watched, Failure>>,
}

/// Something seen of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    /// An event of its journal, each once and in order.
    Event(Event),
    /// A piece of text on its way; it may be repeated or left out, and the step's result has all of it.
    Live(LiveItem),
}

impl Watching {
    /// Watches to the end and keeps the events.
    ///
    /// # Errors
    /// When watching ends before the run does.
    pub async fn into_events(mut self) -> Result<Vec<Event>, Failure> {
        let mut events = Vec::new();
        while let Some(item) = self.items.next().await {
            if let Watched::Event(event) = item? {
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

impl std::fmt::Debug for Watching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watching")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
