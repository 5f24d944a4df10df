//! A row of the queue in the writer: who holds it, and how reports change it.
//!
//! Pure except for [`load_places`]: every check comes before the first change.

use std::collections::HashMap;

use gemicro_core::queue::{QueueState, StepLease, WorkerNews};
use gemicro_core::run::events::{StepFailed, StepLost};
use gemicro_core::store::{NewEvent, StepMark, StoreError};
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, Timestamp};

use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{ColumnKind, Link, RowStatement, Values, query};
use crate::writer::GroupFault;

#[derive(Debug)]
pub(crate) struct QueueRow {
    no: u64,
    attempt: u32,
    max_attempts: u32,
    state: QueueState,
    not_before: Timestamp,
    token: u64,
    expires_at: Timestamp,
    reason: Option<Failure>,
    changed_at: Timestamp,
    pub(crate) is_changed: bool,
}

/// An attempt whose worker was silent for too long.
#[derive(Debug)]
pub(crate) struct ExpiredLease {
    pub(crate) lease: StepLease,
    pub(crate) worker: String,
    /// The cost that is charged for the attempt.
    pub(crate) charge: Charge,
    /// Whether its lease was not renewed for its length, whatever the clock says.
    pub(crate) is_unchanged: bool,
}

pub(crate) const PLACES: RowStatement = RowStatement {
    before: "WITH news (no, attempt, status, not_before, reason, changed_at) AS (",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Int,
    ],
    after: ") UPDATE queue SET attempt = news.attempt, status = news.status, not_before = news.not_before, \
            reason = news.reason, changed_at = news.changed_at FROM news WHERE queue.no = news.no",
};

impl QueueRow {
    /// The row held by this lease.
    pub(crate) fn held_by<'p>(
        places: &'p mut HashMap<u64, Self>,
        lease: &StepLease,
    ) -> Result<&'p mut Self, StoreError> {
        let place = places.get_mut(&lease.place);
        let place = place.filter(|place| {
            place.state == QueueState::Running && place.attempt == lease.attempt && place.token == lease.token
        });
        place.ok_or_else(|| StoreError::Fenced {
            stream: lease.stream.clone(),
            step: lease.step.to_string(),
            attempt: lease.attempt,
        })
    }

    /// Applies a worker's report, and returns the new state of the step.
    pub(crate) fn settle(&mut self, news: &WorkerNews, now: Timestamp) -> QueueState {
        match news {
            WorkerNews::Working => {}
            WorkerNews::Completed => self.end(QueueState::Completed, None, now),
            WorkerNews::Again { not_before, .. } if self.attempt < self.max_attempts => {
                self.try_again(*not_before, now);
            }
            WorkerNews::Again { reason, .. } | WorkerNews::Failed { reason } => {
                self.end(QueueState::Dead, Some(reason.clone()), now);
            }
            WorkerNews::Cancelled => self.end(QueueState::Cancelled, None, now),
        }
        self.state
    }

    /// Ends an attempt whose lease is over; returns the event for the journal, or `None` if its worker reported in the
    /// meantime.
    pub(crate) fn expire(&mut self, expired: &ExpiredLease, now: Timestamp) -> Option<NewEvent> {
        let is_unchanged = expired.is_unchanged && self.expires_at == expired.lease.expires_at;
        if self.expires_at > now && !is_unchanged {
            return None;
        }
        let (step, attempt, charge) = (expired.lease.step.clone(), self.attempt, expired.charge);
        let update = if attempt < self.max_attempts {
            self.try_again(now, now);
            let lost = StepLost {
                step: step.clone(),
                attempt,
                charge,
                kept: false,
            };
            AgentUpdate::new(&lost, now)
        } else {
            let message = format!(
                "its worker stopped responding in attempt {attempt} of {} (the last was {})",
                self.max_attempts, expired.worker
            );
            let error = Failure::new(ErrorKind::Internal, message);
            self.end(QueueState::Dead, Some(error.clone()), now);
            let failed = StepFailed {
                step: step.clone(),
                attempt,
                error,
                charge,
            };
            AgentUpdate::new(&failed, now)
        };
        Some(NewEvent::of_step(update, &step, Some(StepMark::Ended(attempt))))
    }

    /// The columns of [`PLACES`].
    pub(crate) fn values(&self, values: &mut Values) {
        // A failure is plain data, so this cannot fail.
        let reason = self
            .reason
            .as_ref()
            .and_then(|reason| serde_json::to_string(reason).ok());
        values
            .value(self.no)
            .value(self.attempt)
            .value(self.state.as_str())
            .value(self.not_before.as_millis())
            .value(reason)
            .value(self.changed_at.as_millis());
    }

    fn try_again(&mut self, not_before: Timestamp, now: Timestamp) {
        self.attempt += 1;
        self.not_before = not_before;
        self.end(QueueState::Queued, None, now);
    }

    fn end(&mut self, state: QueueState, reason: Option<Failure>, now: Timestamp) {
        self.state = state;
        self.reason = reason;
        self.changed_at = now;
        self.is_changed = true;
    }
}

/// Loads and locks rows by their numbers, until the transaction ends.
pub(crate) async fn load_places(
    link: &mut Link,
    db: &DbName,
    places: &[u64],
) -> Result<HashMap<u64, QueueRow>, GroupFault> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = query(
        "SELECT no, attempt, max_attempts, status, not_before, lease_token, lease_expires_at, changed_at \
         FROM queue WHERE no = ANY($1) ORDER BY no FOR UPDATE",
    );
    let numbers: Vec<i64> = places.iter().map(|no| no.cast_signed()).collect();
    let rows = rows.bind(numbers).fetch_all(link).await;
    let mut found = HashMap::new();
    for row in &rows.map_err(|error| GroupFault::of(db, error))? {
        let columns = Columns::new(row, db);
        let place = QueueRow {
            no: columns.number("no")?,
            attempt: columns.get("attempt")?,
            max_attempts: columns.get("max_attempts")?,
            state: columns.queue_state("status")?,
            not_before: columns.time("not_before")?,
            token: columns.number("lease_token")?,
            expires_at: columns.time("lease_expires_at")?,
            reason: None,
            changed_at: columns.time("changed_at")?,
            is_changed: false,
        };
        found.insert(place.no, place);
    }
    Ok(found)
}
