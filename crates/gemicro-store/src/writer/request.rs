//! Requests to the writer.

use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::blob::BlobId;
use gemicro_core::queue::{QueueState, Settlement};
use gemicro_core::store::{Append, Lease, NewEvent, NewStream, StoreError};
use gemicro_event::{Event, StreamId};
use tokio::sync::oneshot;

use crate::leases::LeaseMark;
use crate::queue::ExpiredLease;
use crate::sql::Link;

/// A change of one stream, with a channel for the answer.
pub(crate) struct WriteRequest {
    pub(crate) action: WriteAction,
    /// Events of the action whose data is stored in blobs.
    pub(crate) spilled: SpilledBlob,
    pub(crate) reply: oneshot::Sender<Result<WriteResult, StoreError>>,
}

/// Pairs of (index of an event in its action, blob with its data).
pub(crate) type SpilledBlob = Vec<(usize, BlobId)>;

/// The changes that share transactions.
pub(crate) enum WriteAction {
    Create(NewStream),
    Append(Append),
    TakeLease {
        stream: StreamId,
        owner: String,
        ttl: Duration,
        /// Takes the lease away from its holder if it is still in this state.
        over: Option<LeaseMark>,
    },
    RenewLease {
        lease: Lease,
        ttl: Duration,
    },
    ReleaseLease {
        lease: Lease,
    },
    /// A worker reports on its step.
    Settle(Box<Settlement>),
    /// A worker was silent for too long.
    Expire(Box<ExpiredLease>),
}

impl WriteAction {
    pub(crate) fn stream(&self) -> &StreamId {
        match self {
            Self::Create(new) => &new.stream,
            Self::Append(append) => &append.stream,
            Self::TakeLease { stream, .. } => stream,
            Self::RenewLease { lease, .. } | Self::ReleaseLease { lease } => &lease.stream,
            Self::Settle(settlement) => &settlement.lease.stream,
            Self::Expire(expired) => &expired.lease.stream,
        }
    }

    pub(crate) fn events(&self) -> &[NewEvent] {
        match self {
            Self::Create(new) => &new.events,
            Self::Append(append) => &append.events,
            Self::Settle(settlement) => &settlement.events,
            Self::TakeLease { .. }
            | Self::RenewLease { .. }
            | Self::ReleaseLease { .. }
            | Self::Expire(_) => &[],
        }
    }

    /// The queue row that the action needs.
    pub(crate) fn place(&self) -> Option<u64> {
        match self {
            Self::Settle(settlement) => Some(settlement.lease.place),
            Self::Expire(expired) => Some(expired.lease.place),
            Self::Create(_)
            | Self::Append(_)
            | Self::TakeLease { .. }
            | Self::RenewLease { .. }
            | Self::ReleaseLease { .. } => None,
        }
    }
}

/// The result of a change.
#[derive(Debug, Default)]
pub(crate) struct WriteResult {
    pub(crate) events: Vec<Event>,
    pub(crate) lease: Option<Lease>,
    pub(crate) state: Option<QueueState>,
}

/// The rows that a job may change, which decides what the writer must reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobScope {
    /// Rows that are not part of a stream's cached state.
    Beside,
    /// Streams, steps or list entries of runs.
    Streams,
}

/// The work of a job inside its transaction.
pub(crate) type JobWork =
    Box<dyn for<'c> FnOnce(&'c mut Link) -> BoxFuture<'c, Result<(), StoreError>> + Send>;

/// Work in its own transaction.
pub(crate) struct Job {
    pub(crate) scope: JobScope,
    pub(crate) work: JobWork,
    pub(crate) reply: oneshot::Sender<Result<(), StoreError>>,
}

impl Job {
    /// Boxes a closure; the explicit type lets the compiler infer its lifetimes.
    pub(crate) fn work<F>(work: F) -> JobWork
    where
        F: for<'c> FnOnce(&'c mut Link) -> BoxFuture<'c, Result<(), StoreError>> + Send + 'static,
    {
        Box::new(work)
    }
}
