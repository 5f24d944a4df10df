//! Which flow a run belongs to. The only list of flows.

use gemicro_core::ask::AskFlow;
use gemicro_core::drive::{DriveContext, DriveError, Ended, Hold, drive, resume};
use gemicro_core::flow::Flow;
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::ResearchFlow;
use gemicro_event::{ErrorKind, Failure, StreamId};

/// A flow that this program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    Research,
    Ask,
    Prompt,
}

impl FlowKind {
    /// The flow with this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            _ if name == ResearchFlow.name() => Ok(Self::Research),
            _ if name == AskFlow.name() => Ok(Self::Ask),
            _ if name == PromptFlow.name() => Ok(Self::Prompt),
            _ => {
                let message = format!("this program has no flow {name}; a newer one may");
                Err(Failure::new(ErrorKind::StorageError, message))
            }
        }
    }

    pub(crate) async fn drive(self, ctx: &DriveContext, hold: Hold) -> Result<Ended, DriveError> {
        match self {
            Self::Research => drive(ctx, &ResearchFlow, hold).await,
            Self::Ask => drive(ctx, &AskFlow, hold).await,
            Self::Prompt => drive(ctx, &PromptFlow, hold).await,
        }
    }

    pub(crate) async fn resume(self, ctx: &DriveContext, id: &StreamId) -> Result<Hold, DriveError> {
        match self {
            Self::Research => resume(ctx, &ResearchFlow, id).await,
            Self::Ask => resume(ctx, &AskFlow, id).await,
            Self::Prompt => resume(ctx, &PromptFlow, id).await,
        }
    }
}
