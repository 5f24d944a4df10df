//! What is held for one request until it has ended.

use std::sync::Arc;

use gemicro_event::Charge;

use super::account::{Ended, Step};
use super::bound::Bound;
use super::wire::Reported;

/// What is held for one request. Dropping it gives it back, or charges all of it once the request is out.
pub(super) struct Reservation {
    step: Arc<Step>,
    bound: Bound,
    pub(super) id: u32,
    pub(super) charge: Charge,
    /// The output limit that it is for.
    pub(super) output: u64,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    NotSent,
    Sent,
    Done,
}

impl Reservation {
    pub(super) fn new(step: Arc<Step>, bound: Bound, id: u32, output: u64) -> Self {
        Self {
            step,
            bound,
            id,
            charge: bound.worst_case(output),
            output,
            fate: Fate::NotSent,
        }
    }

    /// From now on the request may cost something.
    pub(super) fn sent(&mut self) {
        self.fate = Fate::Sent;
    }

    /// The request cost nothing.
    pub(super) fn release(mut self) {
        self.end(Ended::Free);
    }

    /// The request used this.
    pub(super) fn settle(mut self, reported: Reported) {
        let actual = self.bound.charge(&reported);
        self.end(Ended::Used(reported, actual));
    }

    fn end(&mut self, ended: Ended) {
        self.fate = Fate::Done;
        self.step.end(self.id, ended);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        match self.fate {
            Fate::NotSent => self.end(Ended::Free),
            Fate::Sent => self.end(Ended::Unknown),
            Fate::Done => {}
        }
    }
}
