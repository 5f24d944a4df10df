//! Which flow a run belongs to. The only list of flows.

use gemicro_batch::flow::BatchFlow;
use gemicro_core::ask::AskFlow;
use gemicro_core::drive::{DriveContext, DriveError, Ended, Hold, NewRun, drive, drive_new, resume};
use gemicro_core::flow::Flow;
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::ResearchFlow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::BoardLine;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};

/// Who is told that a run is made, or why not.
pub(crate) type Begun = tokio::sync::oneshot::Sender<Result<(), DriveError>>;

/// A flow that this program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    Research,
    Ask,
    Prompt,
    Batch,
}

impl FlowKind {
    /// The flow with this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            _ if name == ResearchFlow.name() => Ok(Self::Research),
            _ if name == AskFlow.name() => Ok(Self::Ask),
            _ if name == PromptFlow.name() => Ok(Self::Prompt),
            _ if name == BatchFlow.name() => Ok(Self::Batch),
            _ => {
                let message = format!("this program has no flow {name}; a newer one may");
                Err(Failure::new(ErrorKind::StorageError, message))
            }
        }
    }

    /// The flows whose runs have boards.
    pub(crate) const WITH_BOARDS: [Self; 1] = [Self::Batch];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Research => ResearchFlow.name(),
            Self::Ask => AskFlow.name(),
            Self::Prompt => PromptFlow.name(),
            Self::Batch => BatchFlow.name(),
        }
    }

    /// The board that a journal makes, from its first event on.
    pub(crate) fn whole_board(self, events: &[Event]) -> Result<Vec<BoardLine>, Failure> {
        let started = events.first().and_then(|event| event.update.as_run_started());
        let plan = started.map(|started| started.plan).unwrap_or_default();
        match self {
            Self::Batch => {
                let mut state = BatchFlow.start(&plan)?;
                for event in events {
                    BatchFlow.fold(&mut state, event);
                }
                Ok(BatchFlow.board(&mut state))
            }
            Self::Research | Self::Ask | Self::Prompt => Ok(Vec::new()),
        }
    }

    pub(crate) async fn drive(self, ctx: &DriveContext, hold: Hold) -> Result<Ended, DriveError> {
        match self {
            Self::Research => drive(ctx, &ResearchFlow, hold).await,
            Self::Ask => drive(ctx, &AskFlow, hold).await,
            Self::Prompt => drive(ctx, &PromptFlow, hold).await,
            Self::Batch => drive(ctx, &BatchFlow, hold).await,
        }
    }

    /// Makes a run and drives it; `begun` is told when it is made.
    pub(crate) async fn drive_new(
        self,
        ctx: &DriveContext,
        new: NewRun,
        begun: Begun,
    ) -> Result<Ended, DriveError> {
        match self {
            Self::Research => drive_new(ctx, &ResearchFlow, new, begun).await,
            Self::Ask => drive_new(ctx, &AskFlow, new, begun).await,
            Self::Prompt => drive_new(ctx, &PromptFlow, new, begun).await,
            Self::Batch => drive_new(ctx, &BatchFlow, new, begun).await,
        }
    }

    pub(crate) async fn resume(self, ctx: &DriveContext, id: &StreamId) -> Result<Hold, DriveError> {
        match self {
            Self::Research => resume(ctx, &ResearchFlow, id).await,
            Self::Ask => resume(ctx, &AskFlow, id).await,
            Self::Prompt => resume(ctx, &PromptFlow, id).await,
            Self::Batch => resume(ctx, &BatchFlow, id).await,
        }
    }
}
