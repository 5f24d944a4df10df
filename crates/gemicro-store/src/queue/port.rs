//! Implements the queue port of the core.

use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use gemicro_core::queue::{
    ClaimRequest, ClaimedStep, DeadStep, Heartbeat, ProviderLimit, QueueCounts, QueueState, QueuedStep,
    Settlement, SettlementResult, StepLease, StepQueue,
};
use gemicro_core::store::StoreError;
use gemicro_event::{StepKey, StreamId};

use crate::store::DurableStore;
use crate::writer::WriteAction;

impl StepQueue for DurableStore {
    fn enqueue(&self, steps: Vec<QueuedStep>) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.enqueue_steps(steps))
    }

    fn offer(&self, step: QueuedStep, known: u32) -> BoxFuture<'_, Result<u32, StoreError>> {
        Box::pin(self.offer_step(step, known))
    }

    fn claim(&self, claim: ClaimRequest) -> BoxFuture<'_, Result<Vec<ClaimedStep>, StoreError>> {
        Box::pin(self.claim_steps(claim))
    }

    fn heartbeat(
        &self,
        leases: Vec<StepLease>,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Vec<Heartbeat>, StoreError>> {
        Box::pin(self.extend_leases(leases, ttl))
    }

    fn settle(
        &self,
        settlements: Vec<Settlement>,
    ) -> BoxFuture<'_, Vec<Result<SettlementResult, StoreError>>> {
        // Send all at once, so that the writer commits them together.
        let settled = settlements.into_iter().map(|settlement| async move {
            let done = self.change(WriteAction::Settle(Box::new(settlement))).await?;
            Ok(SettlementResult {
                events: done.events,
                state: done.state.unwrap_or(QueueState::Running),
            })
        });
        Box::pin(join_all(settled))
    }

    fn cancel(
        &self,
        stream: &StreamId,
        steps: &[StepKey],
    ) -> BoxFuture<'_, Result<Vec<Option<QueueState>>, StoreError>> {
        Box::pin(self.cancel_steps(stream.clone(), steps.to_vec()))
    }

    fn counts(&self, stream: Option<&StreamId>) -> BoxFuture<'_, Result<QueueCounts, StoreError>> {
        let stream = stream.cloned();
        Box::pin(async move { self.count_steps(stream.as_ref()).await })
    }

    fn dead_steps(
        &self,
        stream: Option<&StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeadStep>, StoreError>> {
        let stream = stream.cloned();
        Box::pin(async move { self.list_dead_steps(stream.as_ref(), limit).await })
    }

    fn retry(
        &self,
        stream: &StreamId,
        step: &StepKey,
        n_attempts: u32,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.retry_step(stream.clone(), step.clone(), n_attempts))
    }

    fn set_limit(&self, limit: ProviderLimit) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.write_limit(limit))
    }

    fn limits(&self) -> BoxFuture<'_, Result<Vec<ProviderLimit>, StoreError>> {
        Box::pin(self.read_limits())
    }
}
