//! Adds steps to the queue, each attempt once.

use std::collections::{BTreeSet, HashMap};

use gemicro_core::queue::{QueueState, QueuedStep};
use gemicro_core::store::StoreError;
use gemicro_event::{StepKey, StreamId, Timestamp};

use crate::columns::Columns;
use crate::error::DbName;
use crate::read::lock_head;
use crate::sql::{Batch, ColumnKind, Link, RowStatement, query};
use crate::store::DurableStore;
use crate::writer::JobScope;

const STEPS: RowStatement = RowStatement {
    before: "INSERT INTO queue (stream_no, step, attempt, max_attempts, kind, provider, priority, not_before, \
             tokens, micro_usd, turns, data, status, changed_at)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (stream_no, step) DO UPDATE SET attempt = excluded.attempt, \
            max_attempts = excluded.max_attempts, kind = excluded.kind, provider = excluded.provider, \
            priority = excluded.priority, not_before = excluded.not_before, tokens = excluded.tokens, \
            micro_usd = excluded.micro_usd, turns = excluded.turns, data = excluded.data, \
            status = excluded.status, changed_at = excluded.changed_at, cancel_requested = FALSE, reason = NULL, \
            lease_token = 0",
};

const PROVIDERS: RowStatement = RowStatement {
    before: "INSERT INTO provider_limits (provider)",
    columns: &[ColumnKind::Text],
    after: "ON CONFLICT (provider) DO NOTHING",
};

impl DurableStore {
    pub(super) async fn enqueue_steps(&self, steps: Vec<QueuedStep>) -> Result<u64, StoreError> {
        if steps.is_empty() {
            return Ok(0);
        }
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move { enqueue(link, &db, steps).await })
        })
        .await
    }

    pub(super) async fn offer_step(&self, step: QueuedStep, known: u32) -> Result<u32, StoreError> {
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move { offer(link, &db, step, known).await })
        })
        .await
    }
}

/// The queue entry of a step before this call.
struct EnqueuedBefore {
    attempt: u32,
    state: QueueState,
    /// Whether a worker claimed this attempt.
    was_taken: bool,
}

impl EnqueuedBefore {
    fn is_over(&self) -> bool {
        match self.state {
            QueueState::Dead | QueueState::Cancelled => true,
            QueueState::Queued | QueueState::Running | QueueState::Completed => false,
        }
    }
}

async fn offer(link: &mut Link, db: &DbName, step: QueuedStep, known: u32) -> Result<u32, StoreError> {
    let steps = [step];
    let streams = lock_streams(link, db, &steps).await?;
    let now = link.now().await.map_err(|error| db.error(error))?;
    let found = known_steps(link, db, &streams, &steps)
        .await?
        .into_values()
        .next();
    let [step] = steps;
    if let Some(found) = found {
        let has_known_end = found.is_over() && (found.attempt <= known || !found.was_taken);
        if !has_known_end || step.attempt <= found.attempt {
            return Ok(found.attempt);
        }
    }
    let attempt = step.attempt;
    let placed = streams.into_values().map(|stream_no| (stream_no, step.clone()));
    write(link, placed.collect(), now)
        .await
        .map_err(|error| db.error(error))?;
    Ok(attempt)
}

/// The numbers of the streams of these steps. They are locked, so none ends before the transaction does.
async fn lock_streams(
    link: &mut Link,
    db: &DbName,
    steps: &[QueuedStep],
) -> Result<HashMap<StreamId, i64>, StoreError> {
    let ids: BTreeSet<StreamId> = steps.iter().map(|step| step.stream.clone()).collect();
    let mut streams = HashMap::new();
    for stream in ids {
        let head = lock_head(link, db, &stream).await?;
        head.check_not_erased(&stream)?;
        if head.ended {
            return Err(StoreError::Ended { stream });
        }
        streams.insert(stream, head.no);
    }
    Ok(streams)
}

async fn enqueue(link: &mut Link, db: &DbName, steps: Vec<QueuedStep>) -> Result<u64, StoreError> {
    let fail = |error| db.error(error);
    let streams = lock_streams(link, db, &steps).await?;
    let now = link.now().await.map_err(fail)?;
    let mut known = known_steps(link, db, &streams, &steps).await?;
    let mut new = Vec::new();
    for step in steps {
        let Some(stream_no) = streams.get(&step.stream) else {
            continue;
        };
        let key = (*stream_no, step.step.clone());
        let found = known.get(&key);
        if found.is_none_or(|found| found.is_over() && step.attempt > found.attempt) {
            // A duplicate in this call meets the first one, as if they had come one after the other.
            let queued = EnqueuedBefore {
                attempt: step.attempt,
                state: QueueState::Queued,
                was_taken: false,
            };
            known.insert(key, queued);
            new.push((*stream_no, step));
        }
    }
    write(link, new, now).await.map_err(fail)
}

/// Those of these steps that are already in the queue.
async fn known_steps(
    link: &mut Link,
    db: &DbName,
    streams: &HashMap<StreamId, i64>,
    steps: &[QueuedStep],
) -> Result<HashMap<(i64, StepKey), EnqueuedBefore>, StoreError> {
    let known = query(
        "SELECT stream_no, step, attempt, status, lease_token FROM queue WHERE stream_no = ANY($1) AND step = ANY($2)",
    );
    let numbers: Vec<i64> = streams.values().copied().collect();
    let keys: Vec<String> = steps.iter().map(|step| step.step.to_string()).collect();
    let rows = known.bind(numbers).bind(keys).fetch_all(link).await;
    let read = |row| {
        let columns = Columns::new(row, db);
        let key = (
            columns.get("stream_no")?,
            StepKey::new(columns.get::<String>("step")?),
        );
        let found = EnqueuedBefore {
            attempt: columns.get("attempt")?,
            state: columns.queue_state("status")?,
            was_taken: columns.number("lease_token")? != 0,
        };
        Ok((key, found))
    };
    let rows = rows.map_err(|error| db.error(error))?;
    rows.iter().map(read).collect()
}

async fn write(link: &mut Link, new: Vec<(i64, QueuedStep)>, now: Timestamp) -> Result<u64, sqlx::Error> {
    let n_new = new.len() as u64;
    let provider = |step: &QueuedStep| step.provider.clone().unwrap_or_default();
    let providers: BTreeSet<String> = new.iter().map(|(_, step)| provider(step)).collect();
    let providers: Vec<String> = providers.into_iter().collect();
    let mut batch = Batch::default();
    batch.rows(&PROVIDERS, &providers, |provider, values| {
        values.value(provider.as_str());
    });
    batch.rows(&STEPS, &new, |(stream_no, step), values| {
        values
            .value(*stream_no)
            .value(step.step.as_str())
            .value(step.attempt)
            .value(step.max_attempts)
            .value(step.kind.as_str())
            .value(provider(step))
            .value(step.priority)
            .value(step.not_before.as_millis())
            .value(step.charge.tokens)
            .value(step.charge.micro_usd)
            .value(step.charge.turns)
            .value(step.data.text())
            .value(QueueState::Queued.as_str())
            .value(now.as_millis());
    });
    batch.run(link).await.map(|()| n_new)
}
