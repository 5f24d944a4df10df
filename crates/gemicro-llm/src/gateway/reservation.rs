//! What is held for one request until it has ended.

use std::sync::Arc;

use gemicro_event::Charge;

use super::account::{GrantAccount, RequestEnd};
use super::bound::RequestBound;
use super::wire::ReportedUsage;

/// What is held for one request. Dropping it gives it back, or charges all of it once the request is out.
pub(super) struct Reservation {
    step: Arc<GrantAccount>,
    bound: RequestBound,
    pub(super) id: u32,
    pub(super) charge: Charge,
    /// The output limit that it is for.
    pub(super) output: u64,
    fate: ReservationFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReservationFate {
    NotSent,
    Sent,
    Done,
}

impl Reservation {
    pub(super) fn new(step: Arc<GrantAccount>, bound: RequestBound, id: u32, output: u64) -> Self {
        Self {
            step,
            bound,
            id,
            charge: bound.worst_case(output),
            output,
            fate: ReservationFate::NotSent,
        }
    }

    /// From now on the request may cost something.
    pub(super) fn mark_sent(&mut self) {
        self.fate = ReservationFate::Sent;
    }

    /// The request cost nothing.
    pub(super) fn release(mut self) {
        self.end(RequestEnd::Free);
    }

    /// The request used this.
    pub(super) fn settle(mut self, reported: ReportedUsage) {
        let actual = self.bound.charge(&reported);
        self.end(RequestEnd::Used(reported, actual));
    }

    fn end(&mut self, ended: RequestEnd) {
        self.fate = ReservationFate::Done;
        self.step.end(self.id, ended);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        match self.fate {
            ReservationFate::NotSent => self.end(RequestEnd::Free),
            ReservationFate::Sent => self.end(RequestEnd::Unknown),
            ReservationFate::Done => {}
        }
    }
}
