//! What the driver knows becomes durable.
//!
//! Facts are folded when they are known and written together with what is decided next: a result and the steps
//! that follow from it are one transaction. Nothing starts before they are written, and nobody waits, but for a moment
//! in which the words of an attempt wait for its result.

use gemicro_event::Event;

use super::DriveError;
use super::begin::load;
use super::driver::Driver;
use crate::store::{Append, NewEvent, NewStream, StoreError, StreamKind, Writer};

impl Driver<'_> {
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
            self.live.fold(event);
        }
        self.note_board();
        self.last = folded.into_iter().last().unwrap_or_else(|| self.last.clone());
    }

    /// Writes what is staged, and keeps going when somebody else appended in between: what is staged are facts,
    /// which stay true.
    pub(super) async fn flush(&mut self) -> Result<(), DriveError> {
        while !self.staged.is_empty() {
            match self.write(self.staged.clone()).await {
                Ok(_) => {
                    self.staged.clear();
                    self.lines.clear();
                    for noted in self.to_note.drain(..) {
                        // An attempt that was stopped in the meantime waits no more.
                        let _ = noted.send(());
                    }
                    self.written_seq = self.run.last_seq;
                }
                Err(StoreError::Moved { .. }) => self.fold_again().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether what is staged are words on the way (a handle, an alarm) that nobody waits for, or nothing.
    pub(super) fn only_words_staged(&self) -> bool {
        if !self.to_note.is_empty() {
            return false;
        }
        let mut types = self.staged.iter().map(|event| event.update.event_type.as_str());
        types.all(|event_type| matches!(event_type, "step_handle" | "step_alarm"))
    }

    /// Lines of the board that are new are written with what is staged.
    pub(super) fn note_board(&mut self) {
        let lines = self.live.board().into_iter();
        self.lines.extend(lines.map(|line| (line.place, line)));
    }

    /// Writes these events; the run is made with the first of them.
    pub(super) async fn write(&mut self, events: Vec<NewEvent>) -> Result<Vec<Event>, StoreError> {
        let board = self.lines.values().cloned().collect();
        let Some((new, begun)) = self.unmade.take() else {
            let append = Append {
                stream: self.run_id().clone(),
                writer: Writer::Driver {
                    epoch: self.lease.epoch,
                    expected_seq: self.written_seq,
                },
                events,
                board,
            };
            return Ok(self.ctx.store.append(append).await?.events);
        };
        let stream = NewStream {
            stream: new.run,
            kind: StreamKind::Run,
            parent_run: new.parent_run,
            events,
            board,
            lease: Some((self.ctx.options.owner.clone(), self.ctx.options.lease_ttl)),
        };
        match self.ctx.store.create(stream).await {
            Ok((created, lease)) => {
                self.lease = lease.unwrap_or_else(|| self.lease.clone());
                // Whoever does not wait any more finds it in the journal.
                let _ = begun.send(Ok(()));
                Ok(created.events)
            }
            Err(error) => {
                let _ = begun.send(Err(error.clone().into()));
                Err(error)
            }
        }
    }

    /// Folds the journal as it is now; what is staged comes after it.
    async fn fold_again(&mut self) -> Result<(), DriveError> {
        let loaded = load(self.ctx, self.flow, self.run_id()).await?;
        (self.run, self.live, self.last) = (loaded.run, loaded.live, loaded.last);
        self.written_seq = self.run.last_seq;
        let staged = std::mem::take(&mut self.staged);
        self.stage(staged);
        Ok(())
    }
}
