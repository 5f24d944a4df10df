//! The events of a stream as a chain: without gaps, each sealed over the one before, as far as the stream says.

use gemicro_core::store::StreamKind;
use gemicro_event::is_terminal;

use crate::read::{Head, StoredEvent};

/// What is said of an event that is not as it was written.
pub(crate) const CHANGED: &str = "was changed on the disk";

/// A walk along the events of a stream.
#[derive(Debug)]
pub(crate) struct Chain<'h> {
    head: &'h Head,
    /// The last event that was passed; 0 before the first one.
    last: u64,
    seal: Option<i64>,
    /// Whether the event before the walk was there, where there is one.
    has_begun: bool,
}

impl<'h> Chain<'h> {
    /// A walk that begins after an event.
    pub(crate) fn new(head: &'h Head, after: u64) -> Self {
        Self {
            head,
            last: after,
            seal: None,
            has_begun: after == 0,
        }
    }

    /// Takes the event before the walk.
    pub(crate) fn begin_after(&mut self, stored: &StoredEvent) {
        self.seal = stored.seal;
        self.has_begun = true;
    }

    /// Passes the next event; an error says what is wrong with it.
    pub(crate) fn check(&mut self, stored: &StoredEvent) -> Result<(), &'static str> {
        let event = &stored.event;
        let is_next = self.has_begun && event.seq == self.last + 1;
        let before = self.seal;
        self.last = event.seq;
        self.seal = stored.seal;
        self.has_begun = true;
        if !is_next {
            return Err("follows a gap: events before it are missing");
        }
        if stored.fits(before) { Ok(()) } else { Err(CHANGED) }
    }

    /// Whether the stream says rightly that it has ended, or that it has not.
    pub(crate) fn check_ended(&self, stored: &StoredEvent) -> Result<(), &'static str> {
        let event = &stored.event;
        let ends = self.head.kind == StreamKind::Run && is_terminal(&event.update.event_type);
        if event.seq == self.head.last_seq && ends != self.head.ended {
            return Err("contradicts the run's recorded end");
        }
        Ok(())
    }

    /// Ends the walk; `is_whole` when nothing was left out at its end. An error names the first event that is missing.
    pub(crate) fn check_end(&self, is_whole: bool) -> Result<(), (u64, &'static str)> {
        let head = self.head;
        if head.erased_at.is_some() {
            return Ok(());
        }
        if !self.has_begun && self.last <= head.last_seq {
            return Err((self.last, "is missing"));
        }
        if is_whole && self.last < head.last_seq {
            return Err((self.last + 1, "is missing"));
        }
        if self.last > head.last_seq && self.has_begun {
            return Err((self.last, "is newer than the run's recorded last event"));
        }
        Ok(())
    }
}
