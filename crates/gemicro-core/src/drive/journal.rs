//! What the driver knows becomes durable.
//!
//! Facts are folded when they are known and written together with what is decided next: a result and the steps
//! that follow from it are one transaction. Nothing starts before they are written, and nobody waits, but for a moment
//! in which the words of an attempt wait for its result.

use gemicro_event::Event;

use super::DriveError;
use super::begin::load;
use super::driver::Driver;
use crate::flow::Flow;
use crate::store::{Append, NewEvent, StoreError, Writer};

impl<F: Flow> Driver<'_, F> {
    /// Writes events, and everything staged before them.
    pub(super) async fn append(&mut self, events: Vec<NewEvent>) -> Result<(), DriveError> {
        self.stage(events);
        self.flush().await
    }

    /// Folds facts; they are written with the next ones, at the latest before the driver waits.
    pub(super) fn stage(&mut self, events: Vec<NewEvent>) {
        let events = self.ctx.store.as_written(events);
        let placed = (self.run.last_seq + 1..).zip(events.iter().cloned());
        let folded: Vec<Event> = placed
            .map(|(seq, event)| event.at(self.run_id().clone(), seq, self.last.parent_run.clone()))
            .collect();
        self.staged.extend(events);
        for event in &folded {
            self.run.fold(event);
        }
        for event in &folded {
            self.flow.fold(&mut self.state, event);
        }
        self.last = folded.into_iter().last().unwrap_or_else(|| self.last.clone());
    }

    /// Writes what is staged, and keeps going when somebody else appended in between: what is staged are facts,
    /// which stay true.
    pub(super) async fn flush(&mut self) -> Result<(), DriveError> {
        while !self.staged.is_empty() {
            let append = self.append_of(self.staged.clone());
            match self.ctx.store.append(append).await {
                Ok(_) => {
                    self.staged.clear();
                    self.written_seq = self.run.last_seq;
                }
                Err(StoreError::Moved { .. }) => self.fold_again().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether what is staged are words on the way (a handle, an alarm), or nothing.
    pub(super) fn only_words_staged(&self) -> bool {
        let mut types = self.staged.iter().map(|event| event.update.event_type.as_str());
        types.all(|event_type| matches!(event_type, "step_handle" | "step_alarm"))
    }

    /// These events in place of those that are staged.
    pub(super) fn append_of(&self, events: Vec<NewEvent>) -> Append {
        Append {
            stream: self.run_id().clone(),
            writer: Writer::Driver {
                epoch: self.lease.epoch,
                expected_seq: self.written_seq,
            },
            events,
        }
    }

    /// Folds the journal as it is now; what is staged comes after it.
    async fn fold_again(&mut self) -> Result<(), DriveError> {
        let loaded = load(self.ctx, self.flow, self.run_id()).await?;
        (self.run, self.state, self.last) = (loaded.run, loaded.state, loaded.last);
        self.written_seq = self.run.last_seq;
        let staged = std::mem::take(&mut self.staged);
        self.stage(staged);
        Ok(())
    }
}
