//! The contract of the queue; `gemicro-store` runs the same tests on each of its engines.

use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_event::{Failure, StepKey, StreamId, Timestamp};

use super::{
    ClaimRequest, ClaimedStep, DeadStep, Heartbeat, ProviderLimit, QueueCounts, QueueState, QueuedStep,
    Settlement, SettlementResult, StepLease, WorkerNews,
};
use crate::store::{NewEvent, StoreError};

/// A durable queue of steps beside the journals of their runs. When a run ends, its steps leave the queue.
///
/// Everything a method returns is durable.
pub trait StepQueue: Send + Sync {
    /// Queues steps in one transaction and returns how many were new. An attempt that is queued, running or over is
    /// left unchanged; a higher attempt of a dead or cancelled step queues the step again.
    fn enqueue(&self, steps: Vec<QueuedStep>) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Queues one attempt of a step, unless an earlier one may have begun whose end the caller does not know; returns
    /// the number of the attempt that the queue then has. `known` is the highest attempt whose end the caller knows, 0
    /// if none. A claimed attempt counts as begun; one that was cancelled before it was claimed does not.
    fn offer(&self, step: QueuedStep, known: u32) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Claims due steps, by priority (the highest first), then by time, then by arrival, within the provider limits of
    /// all workers together.
    ///
    /// Attempts whose worker was silent for longer than its lease are ended first: `step_lost` is written to the
    /// journal and the next attempt is queued; after the last attempt, `step_failed` is written and the step is dead.
    fn claim(&self, claim: ClaimRequest) -> BoxFuture<'_, Result<Vec<ClaimedStep>, StoreError>>;

    /// Extends leases; returns results in the same order.
    fn heartbeat(
        &self,
        leases: Vec<StepLease>,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Vec<Heartbeat>, StoreError>>;

    /// Records settlements, each with its events in one transaction, many in one commit; returns results in the same
    /// order. Settlements of an attempt that is no longer running are refused with [`StoreError::Fenced`].
    fn settle(
        &self,
        settlements: Vec<Settlement>,
    ) -> BoxFuture<'_, Vec<Result<SettlementResult, StoreError>>>;

    /// Settles one attempt as completed.
    fn complete<'a>(
        &'a self,
        lease: &StepLease,
        events: Vec<NewEvent>,
    ) -> BoxFuture<'a, Result<SettlementResult, StoreError>> {
        self.settle_one(lease, WorkerNews::Completed, events)
    }

    /// Settles one attempt as failed. `again_at` requests another attempt.
    fn fail<'a>(
        &'a self,
        lease: &StepLease,
        reason: Failure,
        again_at: Option<Timestamp>,
        events: Vec<NewEvent>,
    ) -> BoxFuture<'a, Result<SettlementResult, StoreError>> {
        let news = match again_at {
            Some(not_before) => WorkerNews::Again { not_before, reason },
            None => WorkerNews::Failed { reason },
        };
        self.settle_one(lease, news, events)
    }

    /// Settles one attempt; `settle` takes many in one commit.
    fn settle_one<'a>(
        &'a self,
        lease: &StepLease,
        news: WorkerNews,
        events: Vec<NewEvent>,
    ) -> BoxFuture<'a, Result<SettlementResult, StoreError>> {
        let settlement = Settlement {
            lease: lease.clone(),
            news,
            events,
        };
        Box::pin(async move {
            let settled = self.settle(vec![settlement]).await.pop();
            settled.unwrap_or_else(|| {
                Err(StoreError::Io {
                    message: "the queue gave no answer".to_owned(),
                })
            })
        })
    }

    /// Cancels steps that are no longer needed: queued ones are cancelled, the workers of running ones are notified in
    /// their next heartbeat. Returns the state of each; `None` for a step that is not in the queue.
    fn cancel(
        &self,
        stream: &StreamId,
        steps: &[StepKey],
    ) -> BoxFuture<'_, Result<Vec<Option<QueueState>>, StoreError>>;

    /// The number of steps in each state, of one run or of all.
    fn counts(&self, stream: Option<&StreamId>) -> BoxFuture<'_, Result<QueueCounts, StoreError>>;

    /// Steps that failed permanently and whose run continues, the newest first. Those of ended runs are in the
    /// dead-letter list.
    fn dead_steps(
        &self,
        stream: Option<&StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeadStep>, StoreError>>;

    /// Queues a dead step again, for at most `n_attempts` more. `false` when it is not dead.
    fn retry(
        &self,
        stream: &StreamId,
        step: &StepKey,
        n_attempts: u32,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Sets the limit of a provider for all workers together.
    fn set_limit(&self, limit: ProviderLimit) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The configured limits, by provider.
    fn limits(&self) -> BoxFuture<'_, Result<Vec<ProviderLimit>, StoreError>>;
}
