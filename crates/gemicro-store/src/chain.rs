//! Checks that the events of a stream form a chain: no gaps, each sealed over the one before, up to the recorded end.

use gemicro_core::store::StreamKind;
use gemicro_event::is_terminal;

use crate::read::{Head, StoredEvent};

/// The message for an event that was changed after it was written.
pub(crate) const CHANGED: &str = "was changed on the disk";

/// A check along the events of a stream.
#[derive(Debug)]
pub(crate) struct Chain<'h> {
    head: &'h Head,
    /// The last checked event; 0 before the first one.
    last: u64,
    seal: Option<i64>,
    /// Whether the event before the start was found, if there is one.
    has_begun: bool,
}

impl<'h> Chain<'h> {
    /// Starts after an event.
    pub(crate) fn new(head: &'h Head, after: u64) -> Self {
        Self {
            head,
            last: after,
            seal: None,
            has_begun: after == 0,
        }
    }

    /// Sets the event before the start.
    pub(crate) fn begin_after(&mut self, stored: &StoredEvent) {
        self.seal = stored.seal;
        self.has_begun = true;
    }

    /// Checks the next event; the error describes the problem.
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

    /// Checks the recorded end of the run against its last event.
    pub(crate) fn check_ended(&self, stored: &StoredEvent) -> Result<(), &'static str> {
        let event = &stored.event;
        let ends = self.head.kind == StreamKind::Run && is_terminal(&event.update.event_type);
        if event.seq == self.head.last_seq && ends != self.head.ended {
            return Err("contradicts the run's recorded end");
        }
        Ok(())
    }

    /// Finishes the check; `is_whole` if the walk reached the last event. The error names the first missing event.
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
