//! Writes the driver's events to the journal.
//!
//! Events are folded as soon as they are known and written together with the next decision: a result and the steps that
//! follow from it are one transaction. No step starts before they are written. Only messages of an attempt are held
//! back for a moment, to be written together with its result.

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

    /// Folds events; they are written with the next ones, at the latest before the driver waits.
    pub(super) fn stage(&mut self, events: Vec<NewEvent>) {
        self.fold(events);
        self.note_board();
    }

    /// Like [`stage`](Self::stage), but leaves the board to the caller.
    pub(super) fn fold(&mut self, events: Vec<NewEvent>) {
        let events = self.ctx.store.as_written(events);
        let placed = (self.run.last_seq + 1..).zip(events.iter().cloned());
        let folded: Vec<Event> = placed
            .map(|(seq, event)| event.at(self.run_id().clone(), seq, self.last.parent_run.clone()))
            .collect();
        self.staged.extend(events);
        if let Some(recorded) = &self.ctx.options.recorded {
            folded.iter().for_each(|event| recorded.compare(event));
        }
        for event in &folded {
            self.run.fold(event);
        }
        for event in &folded {
            self.live.fold(event);
        }
        self.last = folded.into_iter().last().unwrap_or_else(|| self.last.clone());
    }

    /// Writes the staged events. If another process appended in between, tries again after them: staged events are
    /// facts and stay true.
    pub(super) async fn flush(&mut self) -> Result<(), DriveError> {
        while !self.staged.is_empty() {
            match self.write(self.staged.clone()).await {
                Ok(_) => {
                    self.staged.clear();
                    self.lines.clear();
                    for noted in self.to_note.drain(..) {
                        // An attempt that was stopped in the meantime no longer waits.
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

    /// Whether only messages that no attempt waits for (a handle, an alarm), or nothing, is staged.
    pub(super) fn only_words_staged(&self) -> bool {
        if !self.to_note.is_empty() {
            return false;
        }
        let mut types = self.staged.iter().map(|event| event.update.event_type.as_str());
        types.all(|event_type| matches!(event_type, "step_handle" | "step_alarm"))
    }

    /// Collects the changed board lines, to be written with the staged events.
    pub(super) fn note_board(&mut self) {
        let lines = self.live.board().into_iter();
        self.lines.extend(lines.map(|line| (line.place, line)));
    }

    /// Writes these events; if the run does not exist yet, creates it with them.
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
                // A caller that no longer waits finds the run in the journal.
                let _ = begun.send(Ok(()));
                Ok(created.events)
            }
            Err(error) => {
                let _ = begun.send(Err(error.clone().into()));
                Err(error)
            }
        }
    }

    /// Folds the current journal again; the staged events come after it.
    async fn fold_again(&mut self) -> Result<(), DriveError> {
        let loaded = load(self.ctx, self.flow, self.run_id()).await?;
        (self.run, self.live, self.last) = (loaded.run, loaded.live, loaded.last);
        self.written_seq = self.run.last_seq;
        let staged = std::mem::take(&mut self.staged);
        self.stage(staged);
        Ok(())
    }
}
