//! Which flow a run belongs to. The only list of flows.

use gemicro_batch::flow::BatchFlow;
use gemicro_batch::ooda::OodaFlow;
use gemicro_batch::proposal::ProposalFlow;
use gemicro_batch::strategy::StrategyFlow;
use gemicro_core::ask::AskFlow;
use gemicro_core::drive::{DriveContext, DriveError, Ended, Hold, NewRun, drive, drive_new, resume};
use gemicro_core::flow::Flow;
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::ResearchFlow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::BoardLine;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use gemicro_pipeline::flow::PipelineFlow;

/// Who is told that a run is made, or why not.
pub(crate) type Begun = tokio::sync::oneshot::Sender<Result<(), DriveError>>;

/// A flow that this program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    Research,
    Ask,
    Prompt,
    Batch,
    TestProposal,
    Strategy,
    Ooda,
    Pipeline,
}

/// Does something with the flow of a kind.
macro_rules! with_flow {
    ($kind:expr, $flow:ident => $done:expr) => {
        match $kind {
            FlowKind::Research => {
                let $flow = &ResearchFlow;
                $done
            }
            FlowKind::Ask => {
                let $flow = &AskFlow;
                $done
            }
            FlowKind::Prompt => {
                let $flow = &PromptFlow;
                $done
            }
            FlowKind::Batch => {
                let $flow = &BatchFlow;
                $done
            }
            FlowKind::TestProposal => {
                let $flow = &ProposalFlow;
                $done
            }
            FlowKind::Strategy => {
                let $flow = &StrategyFlow;
                $done
            }
            FlowKind::Ooda => {
                let $flow = &OodaFlow;
                $done
            }
            FlowKind::Pipeline => {
                let $flow = &PipelineFlow;
                $done
            }
        }
    };
}

impl FlowKind {
    const ALL: [Self; 8] = [
        Self::Research,
        Self::Ask,
        Self::Prompt,
        Self::Batch,
        Self::TestProposal,
        Self::Strategy,
        Self::Ooda,
        Self::Pipeline,
    ];

    /// The flow with this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let message = format!("this program has no flow {name}; a newer one may");
            Failure::new(ErrorKind::StorageError, message)
        })
    }

    /// The flows whose runs have boards.
    pub(crate) const WITH_BOARDS: [Self; 1] = [Self::Batch];

    pub(crate) fn name(self) -> &'static str {
        with_flow!(self, flow => flow.name())
    }

    /// The board that a journal makes, from its first event on.
    pub(crate) fn whole_board(self, events: &[Event]) -> Result<Vec<BoardLine>, Failure> {
        let started = events.first().and_then(|event| event.update.as_run_started());
        let plan = started.map(|started| started.plan).unwrap_or_default();
        with_flow!(self, flow => {
            let mut state = flow.start(&plan)?;
            for event in events {
                flow.fold(&mut state, event);
            }
            Ok(flow.board(&mut state))
        })
    }

    pub(crate) async fn drive(self, ctx: &DriveContext, hold: Hold) -> Result<Ended, DriveError> {
        with_flow!(self, flow => drive(ctx, flow, hold).await)
    }

    /// Makes a run and drives it; `begun` is told when it is made.
    pub(crate) async fn drive_new(
        self,
        ctx: &DriveContext,
        new: NewRun,
        begun: Begun,
    ) -> Result<Ended, DriveError> {
        with_flow!(self, flow => drive_new(ctx, flow, new, begun).await)
    }

    pub(crate) async fn resume(self, ctx: &DriveContext, id: &StreamId) -> Result<Hold, DriveError> {
        with_flow!(self, flow => resume(ctx, flow, id).await)
    }
}
