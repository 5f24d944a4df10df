//! A stream as the writer sees it: who may append, and what an append changes.
//!
//! Pure: every check comes before the first change, so a refused request leaves no trace.

use std::collections::HashMap;
use std::time::Duration;

use gemicro_core::blob::BlobId;
use gemicro_core::run::RunRow;
use gemicro_core::store::{Lease, NewEvent, StepMark, StoreError, StreamKind, Writer};
use gemicro_event::{Event, StepKey, StreamId, Timestamp, is_terminal};

use super::SpilledBlob;
use crate::leases::LeaseMark;
use crate::seal::seal_event;

/// All that checking and numbering needs of a stream.
#[derive(Debug)]
pub(crate) struct StreamState {
    pub(crate) no: i64,
    pub(crate) id: StreamId,
    pub(crate) kind: StreamKind,
    pub(crate) parent_run: Option<StreamId>,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) ended: bool,
    pub(crate) erased_at: Option<Timestamp>,
    pub(crate) lease_owner: Option<String>,
    /// Epoch of the last lease, also after it was given back.
    pub(crate) lease_epoch: u64,
    pub(crate) lease_expires_at: Timestamp,
    /// The line in lists; runs have one.
    pub(crate) row: Option<RunRow>,
    pub(crate) running: HashMap<StepKey, u32>,
    /// The seal of the last event; `None` before the first one and after one without a seal.
    pub(crate) seal: Option<i64>,
}

/// An event on its way into the table.
#[derive(Debug)]
pub(crate) struct EventRow {
    pub(crate) stream_no: i64,
    pub(crate) event: Event,
    pub(crate) mark: Option<StepMark>,
    /// Where its data is, when it is too large for the table.
    pub(crate) blob: Option<BlobId>,
    pub(crate) seal: i64,
}

impl StreamState {
    /// A stream before its first event.
    pub(crate) fn new(no: i64, id: StreamId, kind: StreamKind, parent_run: Option<StreamId>) -> Self {
        let row = (kind == StreamKind::Run).then(|| RunRow::new(id.clone(), parent_run.clone()));
        Self {
            no,
            id,
            kind,
            parent_run,
            first_seq: 1,
            last_seq: 0,
            ended: false,
            erased_at: None,
            lease_owner: None,
            lease_epoch: 0,
            lease_expires_at: Timestamp::default(),
            row,
            running: HashMap::new(),
            seal: None,
        }
    }

    pub(crate) fn check_not_erased(&self) -> Result<(), StoreError> {
        match self.erased_at {
            Some(at) => Err(StoreError::Erased {
                stream: self.id.clone(),
                at,
            }),
            None => Ok(()),
        }
    }

    /// Whether anything can still be appended.
    pub(crate) fn check_open(&self) -> Result<(), StoreError> {
        self.check_not_erased()?;
        if self.ended {
            return Err(StoreError::Ended {
                stream: self.id.clone(),
            });
        }
        Ok(())
    }

    /// Whether this writer may append now.
    pub(crate) fn check_writer(&self, writer: &Writer, now: Timestamp) -> Result<(), StoreError> {
        self.check_open()?;
        match writer {
            Writer::Driver { epoch, expected_seq } => {
                if self.lease_owner.is_none() || self.lease_epoch != *epoch {
                    return Err(StoreError::LeaseLost {
                        stream: self.id.clone(),
                    });
                }
                if self.last_seq != *expected_seq {
                    return Err(StoreError::Moved {
                        stream: self.id.clone(),
                        expected: *expected_seq,
                        actual: self.last_seq,
                    });
                }
            }
            Writer::Executor { step, attempt } => {
                if self.running.get(step) != Some(attempt) {
                    return Err(StoreError::Fenced {
                        stream: self.id.clone(),
                        step: step.to_string(),
                        attempt: *attempt,
                    });
                }
            }
            Writer::Outside => {
                if let Some(lease) = self.lease().filter(|lease| lease.expires_at > now) {
                    return Err(held_by_other(&lease));
                }
            }
        }
        Ok(())
    }

    /// Whether these events can stand in one append: nothing follows the end of a run.
    pub(crate) fn check_events(&self, events: &[NewEvent]) -> Result<(), StoreError> {
        let Some((_, before_last)) = events.split_last() else {
            return Ok(());
        };
        let ends_early = before_last
            .iter()
            .any(|event| is_terminal(&event.update.event_type));
        if self.kind == StreamKind::Run && ends_early {
            return Err(StoreError::Ended {
                stream: self.id.clone(),
            });
        }
        Ok(())
    }

    /// Gives events their places; the caller has checked that they may be appended.
    pub(crate) fn push(&mut self, events: &[NewEvent], spilled: &SpilledBlob, rows: &mut Vec<EventRow>) {
        let mut spilled = spilled.iter().peekable();
        for (index, new) in events.iter().enumerate() {
            self.last_seq += 1;
            let event = new
                .clone()
                .at(self.id.clone(), self.last_seq, self.parent_run.clone());
            self.note(&event, new.mark);
            let blob = spilled
                .next_if(|(at, _)| *at == index)
                .map(|(_, blob)| blob.clone());
            let seal = seal_event(self.seal, &event, new.mark, blob.as_ref());
            self.seal = Some(seal);
            rows.push(EventRow {
                stream_no: self.no,
                event,
                mark: new.mark,
                blob,
                seal,
            });
        }
        if self.ended {
            // There is nothing left to drive.
            self.lease_owner = None;
        }
    }

    /// Takes an event into the projections; `rebuild` does the same with stored ones.
    pub(crate) fn note(&mut self, event: &Event, mark: Option<StepMark>) {
        self.last_seq = event.seq;
        self.ended = self.kind == StreamKind::Run && is_terminal(&event.update.event_type);
        match (&event.step, mark) {
            (Some(step), Some(StepMark::Started(attempt))) => {
                self.running.insert(step.clone(), attempt);
            }
            (Some(step), Some(StepMark::Ended(_))) => {
                self.running.remove(step);
            }
            (_, None) | (None, Some(_)) => {}
        }
        if let Some(row) = &mut self.row {
            row.fold(event);
        }
    }

    /// The lease somebody holds, alive or not.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease_owner.as_ref().map(|owner| Lease {
            stream: self.id.clone(),
            owner: owner.clone(),
            epoch: self.lease_epoch,
            expires_at: self.lease_expires_at,
        })
    }

    /// Ends a lease that somebody saw unchanged for its length, if it still stands like that.
    pub(crate) fn give_up(&mut self, seen: Option<&LeaseMark>) {
        if let Some(seen) = seen
            && self.lease_owner.as_ref() == Some(&seen.owner)
            && self.lease_expires_at == seen.expires_at
        {
            self.lease_owner = None;
        }
    }

    pub(crate) fn take_lease(
        &mut self,
        owner: &str,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        self.check_not_erased()?;
        if let Some(lease) = self.lease()
            && lease.expires_at > now
            && lease.owner != owner
        {
            return Err(held_by_other(&lease));
        }
        self.lease_owner = Some(owner.to_owned());
        self.lease_epoch += 1;
        self.lease_expires_at = now.plus(ttl);
        self.lease().ok_or_else(|| StoreError::LeaseLost {
            stream: self.id.clone(),
        })
    }

    pub(crate) fn renew_lease(
        &mut self,
        lease: &Lease,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Lease, StoreError> {
        self.check_not_erased()?;
        match self.lease() {
            Some(current) if current.epoch == lease.epoch => {
                self.lease_expires_at = now.plus(ttl);
                Ok(Lease {
                    expires_at: self.lease_expires_at,
                    ..current
                })
            }
            Some(_) | None => Err(StoreError::LeaseLost {
                stream: self.id.clone(),
            }),
        }
    }

    /// Says whether there was something to give back.
    pub(crate) fn release_lease(&mut self, lease: &Lease) -> bool {
        self.lease_epoch == lease.epoch && self.lease_owner.take().is_some()
    }
}

/// Somebody else holds the run.
pub(crate) fn held_by_other(lease: &Lease) -> StoreError {
    StoreError::LeaseHeld {
        stream: lease.stream.clone(),
        owner: lease.owner.clone(),
        expires_at: lease.expires_at,
    }
}
