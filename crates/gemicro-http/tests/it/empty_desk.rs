//! A desk without runs, for tests of the server alone: it needs no store, so time can stand still.

use futures_util::future::BoxFuture;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::run::RunRow;
use gemicro_engine::{
    BoardPage, CancelOutcome, Plan, RunFilter, RunService, RunSightings, StoreReads, StoredBoard,
};
use gemicro_event::{ErrorKind, Failure, RunStatus, StreamId};

/// Knows one run, `still-there`, in which nothing ever happens.
pub(crate) struct EmptyDesk;

pub(crate) const RUN: &str = "still-there";

fn nothing<T: Send + 'static>() -> BoxFuture<'static, Result<T, Failure>> {
    Box::pin(async { Err(Failure::new(ErrorKind::NotFound, "there is no such run")) })
}

impl RunService for EmptyDesk {
    fn start_as(&self, _: StreamId, _: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        nothing()
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        let run = run.clone();
        let items = Box::pin(futures_util::stream::pending());
        Box::pin(async move { Ok(RunSightings { run, items }) })
    }

    fn find<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunRow, Failure>> {
        if named != RUN {
            return nothing();
        }
        let row = RunRow {
            status: RunStatus::Running,
            ..RunRow::new(StreamId::new(RUN).unwrap(), None)
        };
        Box::pin(async move { Ok(row) })
    }

    fn send(&self, _: &StreamId, _: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        nothing()
    }

    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>> {
        nothing()
    }

    fn board<'d>(&'d self, _: &'d StreamId, _: BoardPage) -> BoxFuture<'d, Result<StoredBoard, Failure>> {
        Box::pin(async { Ok(StoredBoard::default()) })
    }

    fn trouble(&self, _: &StreamId) -> BoxFuture<'_, Option<Failure>> {
        Box::pin(async { None })
    }

    fn list<'d>(&'d self, _: &'d RunFilter) -> BoxFuture<'d, Result<Vec<RunRow>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn cancel(&self, _: &StreamId, _: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        nothing()
    }

    fn resume(&self, _: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn suspend(&self, _: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        nothing()
    }
}
