//! An engine's work for other runs of a shared store.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gemicro_batch::types::{MEMORY_STEP, SHELL_STEP};
use gemicro_core::ask::AGENT_STEP;
use gemicro_core::llm::LLM_STEP;
use gemicro_event::redact::Redactor;
use tokio_util::sync::CancellationToken;

use crate::dispatch::{QueuedSteps, StepWorker};
use crate::engine::Engine;

/// The step kinds that any worker of a shared store may run.
const QUEUED_KINDS: [&str; 4] = [LLM_STEP, AGENT_STEP, SHELL_STEP, MEMORY_STEP];
/// Maximum number of queued steps that one worker runs concurrently.
const MAX_QUEUED: usize = 32;

impl Engine {
    /// Sends steps that any worker may run to the queue, and keeps their real executors.
    pub(crate) fn queue_steps(&mut self) {
        let own = self.executors.clone();
        let queued = Arc::new(QueuedSteps::new(self.store.clone(), own.clone()));
        self.own = Some(own);
        for kind in QUEUED_KINDS {
            self.executors = self.executors.clone().with(kind, queued.clone());
        }
    }

    /// Runs steps of any run of a shared store, until it is stopped.
    pub(crate) async fn work_on_queue(&self, stop: CancellationToken) {
        let Some(executors) = &self.own else {
            return;
        };
        let worker = StepWorker {
            store: self.store.clone(),
            executors: executors.clone(),
            // Steps of a kind that this process cannot run are left to other workers.
            kinds: QUEUED_KINDS
                .into_iter()
                .filter(|kind| executors.get(kind).is_some())
                .map(str::to_owned)
                .collect(),
            name: self.options.owner.clone(),
            max_steps: MAX_QUEUED,
            redactor: Redactor::new(&self.secrets),
            is_away: AtomicBool::new(false),
        };
        worker.run(stop).await;
    }
}
