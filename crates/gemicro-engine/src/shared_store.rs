//! What an engine does for the runs of others, over a shared store.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gemicro_batch::types::{MEMORY_STEP, SHELL_STEP};
use gemicro_core::ask::AGENT_STEP;
use gemicro_core::llm::LLM_STEP;
use gemicro_event::redact::Redactor;
use tokio_util::sync::CancellationToken;

use crate::dispatch::{QueuedSteps, StepWorker};
use crate::engine::Engine;

/// The kinds of step that any worker of a shared store may do.
const QUEUED_KINDS: [&str; 4] = [LLM_STEP, AGENT_STEP, SHELL_STEP, MEMORY_STEP];
/// Steps of the queue that one worker does at the same time.
const MAX_QUEUED: usize = 32;

impl Engine {
    /// Leaves steps that any worker may do to the queue, and keeps who does them here.
    pub(crate) fn queue_steps(&mut self) {
        let own = self.executors.clone();
        let queued = Arc::new(QueuedSteps::new(self.store.clone(), own.clone()));
        self.own = Some(own);
        for kind in QUEUED_KINDS {
            self.executors = self.executors.clone().with(kind, queued.clone());
        }
    }

    /// Does steps of any run of a shared store, until it is stopped.
    pub(crate) async fn work_on_queue(&self, stop: CancellationToken) {
        let Some(executors) = &self.own else {
            return;
        };
        let worker = StepWorker {
            store: self.store.clone(),
            executors: executors.clone(),
            // A step of a kind that this process cannot do is another worker's.
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
