//! The contract of the queue; `gemicro-store` runs the same tests on each of its engines.

use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_event::{Failure, StepKey, StreamId, Timestamp};

use super::{
    ClaimRequest, ClaimedStep, DeadStep, Heartbeat, ProviderLimit, QueueCounts, QueueState, QueuedStep,
    Settlement, SettlementResult, StepLease, WorkerNews,
};
use crate::store::{NewEvent, StoreError};

/// A durable queue of steps beside the journal of their runs. When a run ends, its steps leave the queue.
///
/// Everything a method returns is durable.
pub trait StepQueue: Send + Sync {
    /// Queues steps in one transaction and says how many were new. An attempt that is queued, running or over
    /// is left as it is; a higher one than that of a dead or cancelled step queues the step again.
    fn enqueue(&self, steps: Vec<QueuedStep>) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Queues one attempt of a step, unless an earlier one may have begun whose end the caller does not know; answers
    /// the attempt that is in the step's place then. `known` is the highest attempt whose end the caller knows, 0 for
    /// none. An attempt that somebody took counts as begun; one that was cancelled before anybody took it does not.
    fn offer(&self, step: QueuedStep, known: u32) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Takes steps that are due, by priority (the highest first), then by time, then by arrival, never more than
    /// the limits of their providers allow all workers together.
    ///
    /// Attempts whose worker was silent for longer than its lease are ended first: `step_lost` goes into the
    /// journal and the next attempt is queued, or `step_failed` and the step is dead when that was the last.
    fn claim(&self, claim: ClaimRequest) -> BoxFuture<'_, Result<Vec<ClaimedStep>, StoreError>>;

    /// Extends leases; answers in the same order.
    fn heartbeat(
        &self,
        leases: Vec<StepLease>,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Vec<Heartbeat>, StoreError>>;

    /// Takes news, each with its facts in one transaction, many in one commit; answers in the same order. News
    /// about an attempt that is no longer the running one are refused with [`StoreError::Fenced`].
    fn settle(
        &self,
        settlements: Vec<Settlement>,
    ) -> BoxFuture<'_, Vec<Result<SettlementResult, StoreError>>>;

    /// The step is done: one settlement.
    fn complete<'a>(
        &'a self,
        lease: &StepLease,
        events: Vec<NewEvent>,
    ) -> BoxFuture<'a, Result<SettlementResult, StoreError>> {
        self.settle_one(lease, WorkerNews::Completed, events)
    }

    /// The attempt failed: one settlement. `again_at` asks for another attempt.
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

    /// Steps nobody needs any more: queued ones are cancelled, the workers of running ones learn it with their
    /// next heartbeat. Answers how each stands; `None` for a step that is not in the queue.
    fn cancel(
        &self,
        stream: &StreamId,
        steps: &[StepKey],
    ) -> BoxFuture<'_, Result<Vec<Option<QueueState>>, StoreError>>;

    /// How many steps of a run, or of all, stand how.
    fn counts(&self, stream: Option<&StreamId>) -> BoxFuture<'_, Result<QueueCounts, StoreError>>;

    /// Steps that failed for good and whose run goes on, the newest first. Those of ended runs are in the
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

    /// Sets what all workers together may ask of a provider.
    fn set_limit(&self, limit: ProviderLimit) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The limits that are set, by provider.
    fn limits(&self) -> BoxFuture<'_, Result<Vec<ProviderLimit>, StoreError>>;
}
