//! The queue of deliveries: [`DeliveryQueue`], as it is stored. Nothing here touches files, the network or the clock.

use std::collections::BTreeMap;
use std::time::Duration;

use gemicro_event::{StreamId, Timestamp};
use gemicro_store::RunProgress;
use serde::{Deserialize, Serialize};

/// Deliveries that still fail after this time are given up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Wait after the first failure; each further failure triples it.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// The longest wait between two attempts.
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// How long a claimed delivery belongs to its process: longer than any attempt takes.
const CLAIM: Duration = Duration::from_secs(15);

/// Number of given-up deliveries that are kept for display.
const MAX_GIVEN_UP: usize = 200;

/// Cursors of that many last runs are kept after their end: on a server a run can become visible after a later one.
const OVERLAP: i64 = 64;

/// Cursors over the journals, and the deliveries that are not done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryQueue {
    last_no: i64,
    runs: BTreeMap<StreamId, RunCursor>,
    deliveries: Vec<Delivery>,
    given_up: Vec<GivenUpDelivery>,
}

/// How far the journal of a run was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunCursor {
    no: i64,
    seq: u64,
    ended: bool,
}

/// One event that one destination has not received yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The run that the event belongs to.
    pub run: StreamId,
    /// The sequence number of the event.
    pub seq: u64,
    /// Key of the destination.
    pub target: String,
    /// Number of failed attempts.
    pub attempts: u32,
    /// When it was added.
    pub added_at: Timestamp,
    /// When it may be attempted; in the future while a process attempts it.
    pub next_at: Timestamp,
}

/// A delivery that failed for a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenUpDelivery {
    /// The run that the event belongs to.
    pub run: StreamId,
    /// The sequence number of the event.
    pub seq: u64,
    /// Name of the destination, for display.
    pub target: String,
    /// How often it was attempted in all.
    pub attempts: u32,
    /// The error of the last attempt.
    pub error: String,
    /// When it was given up.
    pub at: Timestamp,
}

impl DeliveryQueue {
    /// The state before the first notification: everything that is in the journals is considered old.
    #[must_use]
    pub fn at_start(runs: &[RunProgress]) -> Self {
        let mut state = Self::default();
        for progress in runs {
            state.advance(progress, progress.last_seq);
        }
        state.forget_ended();
        state
    }

    /// The number after which all runs are new or known.
    #[must_use]
    pub fn after_no(&self) -> i64 {
        self.last_no - OVERLAP
    }

    /// The runs whose journals are still read.
    #[must_use]
    pub fn open_runs(&self) -> Vec<StreamId> {
        let open = self.runs.iter().filter(|(_, cursor)| !cursor.ended);
        open.map(|(run, _)| run.clone()).collect()
    }

    /// The sequence number up to which the journal of a run was read.
    #[must_use]
    pub fn cursor(&self, run: &StreamId) -> u64 {
        self.runs.get(run).map_or(0, |cursor| cursor.seq)
    }

    /// Moves the cursor of a run.
    pub fn advance(&mut self, progress: &RunProgress, seq: u64) {
        self.last_no = self.last_no.max(progress.no);
        let cursor = RunCursor {
            no: progress.no,
            seq,
            ended: progress.ended,
        };
        self.runs.insert(progress.run.clone(), cursor);
    }

    /// Forgets cursors that are not needed any more: those of ended runs, except the last ones, and of erased runs.
    pub fn forget_ended(&mut self) {
        let after_no = self.after_no();
        self.runs
            .retain(|_, cursor| !cursor.ended || cursor.no > after_no);
    }

    /// Forgets the open runs that are not among these: they were erased.
    pub fn forget_erased(&mut self, existing: &[RunProgress]) {
        self.runs
            .retain(|run, cursor| cursor.ended || existing.iter().any(|progress| progress.run == *run));
    }

    /// Adds a delivery; one that is there already is not added again.
    pub fn add(&mut self, run: &StreamId, seq: u64, target: String, now: Timestamp) {
        if self.position(run, seq, &target).is_none() {
            self.deliveries.push(Delivery {
                run: run.clone(),
                seq,
                target,
                attempts: 0,
                added_at: now,
                next_at: now,
            });
        }
    }

    /// Takes the deliveries that are due, at most so many; no other process attempts them for a while.
    pub fn claim_due(&mut self, now: Timestamp, limit: usize) -> Vec<Delivery> {
        let due = self
            .deliveries
            .iter_mut()
            .filter(|delivery| delivery.next_at <= now);
        due.take(limit)
            .map(|delivery| {
                delivery.next_at = now.plus(CLAIM);
                delivery.clone()
            })
            .collect()
    }

    /// Records that a delivery arrived, or that there is nothing left to deliver.
    pub fn remove(&mut self, delivery: &Delivery) {
        if let Some(place) = self.position(&delivery.run, delivery.seq, &delivery.target) {
            self.deliveries.remove(place);
        }
    }

    /// Records a failed attempt: the next one follows later, or the delivery is given up.
    pub fn record_failure(&mut self, delivery: &Delivery, name: &str, error: &str, now: Timestamp) {
        let Some(place) = self.position(&delivery.run, delivery.seq, &delivery.target) else {
            return;
        };
        let waiting = &mut self.deliveries[place];
        waiting.attempts += 1;
        if now.since(waiting.added_at) < GIVE_UP_AFTER {
            waiting.next_at = now.plus(wait_after(waiting.attempts));
            return;
        }
        let given_up = self.deliveries.remove(place);
        self.given_up.push(GivenUpDelivery {
            run: given_up.run,
            seq: given_up.seq,
            target: name.to_owned(),
            attempts: given_up.attempts,
            error: error.to_owned(),
            at: now,
        });
        let n_old = self.given_up.len().saturating_sub(MAX_GIVEN_UP);
        self.given_up.drain(..n_old);
    }

    /// The deliveries that are not done.
    #[must_use]
    pub fn deliveries(&self) -> &[Delivery] {
        &self.deliveries
    }

    /// The deliveries that were given up, oldest first.
    #[must_use]
    pub fn given_up(&self) -> &[GivenUpDelivery] {
        &self.given_up
    }

    fn position(&self, run: &StreamId, seq: u64, target: &str) -> Option<usize> {
        let mut all = self.deliveries.iter();
        all.position(|it| it.run == *run && it.seq == seq && it.target == target)
    }
}

fn wait_after(attempts: u32) -> Duration {
    let factor = 3_u32.saturating_pow(attempts.saturating_sub(1));
    FIRST_WAIT.saturating_mul(factor).min(MAX_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(run: &StreamId, no: i64, last_seq: u64, ended: bool) -> RunProgress {
        RunProgress {
            run: run.clone(),
            no,
            last_seq,
            ended,
            is_part: false,
        }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(0).plus(Duration::from_secs(seconds))
    }

    #[test]
    fn waits_grow_and_end_with_giving_up_after_a_day() {
        let (run, mut state) = (StreamId::random(), DeliveryQueue::default());
        state.add(&run, 7, "command".to_owned(), at(0));
        state.add(&run, 7, "command".to_owned(), at(1));
        assert_eq!(state.deliveries().len(), 1);
        let mut attempts = Vec::new();
        let mut now = 0;
        while state.given_up().is_empty() {
            for delivery in state.claim_due(at(now), 9) {
                attempts.push(now);
                assert!(state.claim_due(at(now), 9).is_empty(), "claimed twice");
                state.record_failure(&delivery, "command", "exit code 1", at(now));
            }
            now += 1;
        }
        assert_eq!(attempts[..7], [0, 5, 20, 65, 200, 605, 1_820]);
        assert!(attempts.windows(2).all(|pair| pair[1] - pair[0] <= 3_600));
        let last = *attempts.last().unwrap();
        assert!((86_400..86_400 + 3_600).contains(&last), "{last}");
        assert!(state.deliveries().is_empty());
        let given_up = &state.given_up()[0];
        assert_eq!((given_up.seq, given_up.error.as_str()), (7, "exit code 1"));
        assert_eq!(given_up.attempts as usize, attempts.len());
    }

    #[test]
    fn a_claim_of_a_killed_process_expires() {
        let (run, mut state) = (StreamId::random(), DeliveryQueue::default());
        state.add(&run, 1, "command".to_owned(), at(0));
        assert_eq!(state.claim_due(at(0), 9).len(), 1);
        assert!(state.claim_due(at(14), 9).is_empty());
        let again = state.claim_due(at(15), 9);
        assert_eq!(again.len(), 1);
        state.remove(&again[0]);
        assert!(state.deliveries().is_empty());
    }

    #[test]
    fn old_runs_are_forgotten_and_open_ones_are_not() {
        let (open, ended) = (StreamId::random(), StreamId::random());
        let runs = [progress(&open, 1, 3, false), progress(&ended, 2, 9, true)];
        let mut state = DeliveryQueue::at_start(&runs);
        assert_eq!((state.cursor(&open), state.cursor(&ended)), (3, 9));
        assert_eq!(state.open_runs(), std::slice::from_ref(&open));
        let late = StreamId::random();
        state.advance(&progress(&late, 100, 1, false), 0);
        state.forget_ended();
        assert_eq!((state.cursor(&open), state.cursor(&ended)), (3, 0));
        assert!(state.after_no() > 2, "the ended run would be read again");
        state.forget_erased(&[progress(&late, 100, 1, false)]);
        assert_eq!(state.open_runs(), [late]);
    }

    #[test]
    fn its_form_on_the_disk() {
        let run = StreamId::new("0198c0de").unwrap();
        let mut state = DeliveryQueue::at_start(&[progress(&run, 5, 2, false)]);
        state.add(&run, 3, "webhook-00".to_owned(), at(1));
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(
            text,
            r#"{"last_no":5,"runs":{"0198c0de":{"no":5,"seq":2,"ended":false}},"deliveries":[{"run":"0198c0de","seq":3,"target":"webhook-00","attempts":0,"added_at":"1970-01-01T00:00:01.000Z","next_at":"1970-01-01T00:00:01.000Z"}],"given_up":[]}"#
        );
        assert_eq!(serde_json::from_str::<DeliveryQueue>(&text).unwrap(), state);
    }
}
