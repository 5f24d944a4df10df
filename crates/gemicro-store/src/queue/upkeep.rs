//! Inspects the queue, cancels steps, and retries dead ones.

use std::collections::HashMap;

use gemicro_core::queue::{DeadStep, QueueCounts, QueueState};
use gemicro_core::store::StoreError;
use gemicro_event::{StepKey, StreamId, Timestamp};

use crate::columns::Columns;
use crate::error::DbName;
use crate::read::lock_head;
use crate::sql::{Link, query};
use crate::store::DurableStore;
use crate::writer::JobScope;

impl DurableStore {
    pub(super) async fn cancel_steps(
        &self,
        stream: StreamId,
        steps: Vec<StepKey>,
    ) -> Result<Vec<Option<QueueState>>, StoreError> {
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move { cancel(link, &db, &stream, &steps).await })
        })
        .await
    }

    pub(super) async fn count_steps(&self, stream: Option<&StreamId>) -> Result<QueueCounts, StoreError> {
        let db = &self.inner.db;
        let stream_no = match stream {
            Some(stream) => Some(self.head(stream).await?.no),
            None => None,
        };
        let counts = query(
            "SELECT status, not_before > $2 AS is_delayed, count(*) AS n_steps FROM queue \
             WHERE $1 IS NULL OR stream_no = $1 GROUP BY status, not_before > $2",
        );
        // Only for display, so a slightly wrong clock does no harm.
        let counts = counts.bind(stream_no).bind(Timestamp::now().as_millis());
        let rows = counts.fetch_all(&self.inner.readers).await;
        let mut counts = QueueCounts::default();
        for row in &rows.map_err(|error| db.error(error))? {
            let columns = Columns::new(row, db);
            let n_steps = columns.number("n_steps")?;
            let count = match columns.queue_state("status")? {
                QueueState::Queued if columns.get("is_delayed")? => &mut counts.delayed,
                QueueState::Queued => &mut counts.ready,
                QueueState::Running => &mut counts.running,
                QueueState::Completed => &mut counts.completed,
                QueueState::Dead => &mut counts.dead,
                QueueState::Cancelled => &mut counts.cancelled,
            };
            *count += n_steps;
        }
        Ok(counts)
    }

    pub(super) async fn list_dead_steps(
        &self,
        stream: Option<&StreamId>,
        limit: usize,
    ) -> Result<Vec<DeadStep>, StoreError> {
        let db = &self.inner.db;
        let dead = query(
            "SELECT s.id, q.step, q.attempt, q.reason, q.changed_at FROM queue q \
             JOIN streams s ON s.no = q.stream_no \
             WHERE q.status = 'dead' AND ($1 IS NULL OR s.id = $1) ORDER BY q.changed_at DESC, q.no DESC LIMIT $2",
        );
        let dead = dead
            .bind(stream.map(StreamId::as_str))
            .bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = dead.fetch_all(&self.inner.readers).await;
        let read = |row| {
            let columns = Columns::new(row, db);
            let reason = columns.get::<Option<String>>("reason")?.unwrap_or_default();
            Ok(DeadStep {
                stream: columns.stream("id")?,
                step: StepKey::new(columns.get::<String>("step")?),
                attempt: columns.get("attempt")?,
                reason: serde_json::from_str(&reason).map_err(|error| db.odd_row(error))?,
                at: columns.time("changed_at")?,
            })
        };
        let rows = rows.map_err(|error| db.error(error))?;
        rows.iter().map(read).collect()
    }

    pub(super) async fn retry_step(
        &self,
        stream: StreamId,
        step: StepKey,
        n_attempts: u32,
    ) -> Result<bool, StoreError> {
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move {
                let fail = |error| db.error(error);
                let head = lock_head(link, &db, &stream).await?;
                head.check_not_erased(&stream)?;
                let now = link.now().await.map_err(fail)?;
                let again = query(
                    "UPDATE queue SET status = 'queued', attempt = attempt + 1, max_attempts = attempt + $1, \
                     not_before = $2, changed_at = $2, reason = NULL \
                     WHERE stream_no = $3 AND step = $4 AND status = 'dead'",
                );
                let n_changed = again
                    .bind(n_attempts.max(1))
                    .bind(now.as_millis())
                    .bind(head.no)
                    .bind(step.as_str())
                    .execute(link)
                    .await
                    .map_err(fail)?;
                Ok(n_changed > 0)
            })
        })
        .await
    }
}

async fn cancel(
    link: &mut Link,
    db: &DbName,
    stream: &StreamId,
    steps: &[StepKey],
) -> Result<Vec<Option<QueueState>>, StoreError> {
    let fail = |error| db.error(error);
    let head = lock_head(link, db, stream).await?;
    head.check_not_erased(stream)?;
    let found = query(
        "SELECT no, step, status FROM queue WHERE stream_no = $1 AND step = ANY($2) ORDER BY no FOR UPDATE",
    );
    let keys: Vec<String> = steps.iter().map(ToString::to_string).collect();
    let rows = found.bind(head.no).bind(keys).fetch_all(&mut *link).await;
    let (mut states, mut queued, mut running) = (HashMap::new(), Vec::new(), Vec::new());
    for row in &rows.map_err(fail)? {
        let columns = Columns::new(row, db);
        let (no, state) = (columns.get::<i64>("no")?, columns.queue_state("status")?);
        let after = match state {
            QueueState::Queued => {
                queued.push(no);
                QueueState::Cancelled
            }
            QueueState::Running => {
                running.push(no);
                state
            }
            QueueState::Completed | QueueState::Dead | QueueState::Cancelled => state,
        };
        states.insert(StepKey::new(columns.get::<String>("step")?), after);
    }
    let now = link.now().await.map_err(fail)?;
    query("UPDATE queue SET status = 'cancelled', changed_at = $1 WHERE no = ANY($2)")
        .bind(now.as_millis())
        .bind(queued)
        .execute(&mut *link)
        .await
        .map_err(fail)?;
    query("UPDATE queue SET cancel_requested = TRUE WHERE no = ANY($1)")
        .bind(running)
        .execute(link)
        .await
        .map_err(fail)?;
    Ok(steps.iter().map(|step| states.get(step).copied()).collect())
}
