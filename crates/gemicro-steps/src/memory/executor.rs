//! The executor of steps of kind `memory_search`.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_batch::types::{MemoryInput, MemoryOutput};
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_store::DurableStore;

use super::store_search::StoreSearch;
use super::summary::summary;
use super::{Best, Keywords, SearchBounds, file};

/// Runs steps of kind `memory_search`.
#[derive(Clone)]
pub(crate) struct MemorySearch {
    store: Arc<DurableStore>,
    /// For the memory file; contents of the store are redacted already.
    redactor: Redactor,
    bounds: SearchBounds,
}

impl MemorySearch {
    pub(crate) fn new(store: Arc<DurableStore>, redactor: Redactor) -> Self {
        Self {
            store,
            redactor,
            bounds: SearchBounds::default(),
        }
    }

    async fn search(&self, input: MemoryInput, own: &StreamId) -> Result<MemoryOutput, Failure> {
        let mut best = Best::new(Keywords::new(&input.keywords), input.limit, self.bounds);
        let mut notes = Vec::new();
        let (redactor, most_bytes) = (self.redactor.clone(), self.bounds.file_bytes);
        let in_file = move || {
            let file = file::read(&PathBuf::from(input.directory), most_bytes, &redactor);
            // Later entries are newer.
            for entry in file.entries.into_iter().rev() {
                best.look_at(entry);
            }
            (best, file.note)
        };
        let (mut best, note) = tokio::task::spawn_blocking(in_file)
            .await
            .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
        notes.extend(note);
        notes.extend(
            StoreSearch::new(&self.store, &mut best, self.bounds)
                .run(own)
                .await?,
        );
        Ok(summary(best, self.bounds, notes))
    }
}

impl Executor for MemorySearch {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let search = self.clone();
        Box::pin(async move {
            let input: MemoryInput = call.step.read_input()?;
            let found = tokio::select! {
                found = search.search(input, &call.run) => found,
                () = call.cancel.cancelled() => {
                    Err(Failure::new(ErrorKind::Cancelled, "the search was stopped"))
                }
            };
            StepOutput::free(&found.map_err(StepFailure::free)?)
        })
    }

    /// It has no external work, and can be repeated.
    fn survives_driver(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
