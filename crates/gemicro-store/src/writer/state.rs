//! A stream in the writer: who may append, and what an append changes.
//!
//! Pure: every check comes before the first change, so a refused request changes nothing.

use std::collections::HashMap;
use std::time::Duration;

use gemicro_core::blob::BlobId;
use gemicro_core::run::RunRow;
use gemicro_core::store::{Lease, NewEvent, StepMark, StoreError, StreamKind, Writer};
use gemicro_event::{Event, StepKey, StreamId, Timestamp, is_terminal};

use super::SpilledBlob;
use crate::leases::LeaseMark;
use crate::seal::seal_event;

/// The state of a stream that checking and numbering needs.
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
    /// Epoch of the last lease, even after its release.
    pub(crate) lease_epoch: u64,
    pub(crate) lease_expires_at: Timestamp,
    /// The list entry; only runs have one.
    pub(crate) row: Option<RunRow>,
    pub(crate) running: HashMap<StepKey, u32>,
    /// The seal of the last event; `None` before the first one and after one without a seal.
    pub(crate) seal: Option<i64>,
}

/// An event to be inserted.
#[derive(Debug)]
pub(crate) struct EventRow {
    pub(crate) stream_no: i64,
    pub(crate) event: Event,
    pub(crate) mark: Option<StepMark>,
    /// The blob with its data, if that is too large for the table.
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

    /// Whether these events can be in one append: nothing may follow the end of a run.
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

    /// Numbers and adds events; the caller has checked that they may be appended.
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
            // An ended run needs no driver.
            self.lease_owner = None;
        }
    }

    /// Applies an event to the projections; `rebuild` does the same with stored ones.
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

    /// The current lease, expired or not.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease_owner.as_ref().map(|owner| Lease {
            stream: self.id.clone(),
            owner: owner.clone(),
            epoch: self.lease_epoch,
            expires_at: self.lease_expires_at,
        })
    }

    /// Ends a lease that was seen unchanged for its length, if it is still in that state.
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

    /// Releases the lease; returns whether it was still held.
    pub(crate) fn release_lease(&mut self, lease: &Lease) -> bool {
        self.lease_epoch == lease.epoch && self.lease_owner.take().is_some()
    }
}

/// The error for a run held by another driver.
pub(crate) fn held_by_other(lease: &Lease) -> StoreError {
    StoreError::LeaseHeld {
        stream: lease.stream.clone(),
        owner: lease.owner.clone(),
        expires_at: lease.expires_at,
    }
}
