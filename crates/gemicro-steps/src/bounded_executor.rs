//! Limits the number of concurrent steps of one kind, over all runs of a process.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Step, StepFailure, StepOutput};
use gemicro_event::{ErrorKind, Failure};
use tokio::sync::Semaphore;

/// An executor with a maximum number of concurrent steps.
pub struct BoundedExecutor<E> {
    inner: Arc<E>,
    slots: Arc<Semaphore>,
    max: usize,
}

impl<E> BoundedExecutor<E> {
    /// Runs at most `max` steps of this executor at the same time.
    pub fn new(inner: E, max: usize) -> Self {
        Self {
            inner: Arc::new(inner),
            slots: Arc::new(Semaphore::new(max)),
            max,
        }
    }
}

impl<E: Executor + 'static> Executor for BoundedExecutor<E> {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let (inner, slots) = (self.inner.clone(), self.slots.clone());
        Box::pin(async move {
            let cancel = call.cancel.clone();
            let slot = tokio::select! {
                slot = slots.acquire_owned() => slot,
                () = cancel.cancelled() => {
                    let failure = Failure::new(ErrorKind::Cancelled, "stopped before it began");
                    return Err(StepFailure::free(failure));
                }
            };
            let result = inner.execute(call).await;
            drop(slot);
            result
        })
    }

    fn survives_driver(&self) -> bool {
        self.inner.survives_driver()
    }

    fn may_begin_again(&self, step: &Step) -> bool {
        self.inner.may_begin_again(step)
    }

    fn max_parallel(&self) -> Option<usize> {
        Some(self.max)
    }
}
