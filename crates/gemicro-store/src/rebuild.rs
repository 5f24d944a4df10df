//! Rebuilds the projections from the events, with the code that also maintains them.

use gemicro_core::run::RunRow;
use gemicro_core::store::StoreError;

use crate::DurableStore;
use crate::blob_store::BlobStore;
use crate::chain::Chain;
use crate::columns::Columns;
use crate::dead_letters::Letters;
use crate::error::DbName;
use crate::read::{Head, page_query, read_data, stored_event};
use crate::sql::{Batch, Link, query};
use crate::writer::{JobScope, RUNNING_STEPS, RUNS, StreamState, run_values};

/// The result of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RebuildReport {
    /// Number of rebuilt streams; erased ones are left alone.
    pub n_streams: u64,
    /// Number of events read.
    pub n_events: u64,
    /// Events that are missing or damaged, or whose blobs are; the lists were built from the rest.
    pub unreadable: Vec<StoreError>,
}

/// Number of streams per transaction, so that appends need not wait long.
const BATCH: i64 = 64;

/// Number of events read at a time.
const PAGE: usize = 1024;

impl DurableStore {
    /// Rebuilds the lists (runs, running steps, dead letters, ends of streams) from the events.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn rebuild(&self) -> Result<RebuildReport, StoreError> {
        let mut report = RebuildReport::default();
        let mut after = Some(0);
        while let Some(last) = after {
            let (db, blobs) = (self.inner.db.clone(), self.inner.blobs.clone());
            let (next, batch) = self
                .transact(JobScope::Streams, move |connection| {
                    Box::pin(async move { rebuild_batch(connection, &db, &blobs, last).await })
                })
                .await?;
            after = next;
            report.n_streams += batch.n_streams;
            report.n_events += batch.n_events;
            report.unreadable.extend(batch.unreadable);
        }
        Ok(report)
    }
}

/// Rebuilds the next streams after a number; returns the last one.
async fn rebuild_batch(
    connection: &mut Link,
    db: &DbName,
    blobs: &BlobStore,
    after: i64,
) -> Result<(Option<i64>, RebuildReport), StoreError> {
    let rows =
        query("SELECT * FROM streams WHERE no > $1 AND erased_at IS NULL ORDER BY no LIMIT $2 FOR UPDATE")
            .bind(after)
            .bind(BATCH)
            .fetch_all(&mut *connection)
            .await
            .map_err(|error| db.error(error))?;
    let mut report = RebuildReport::default();
    let mut last = None;
    for row in &rows {
        let columns = Columns::new(row, db);
        let (no, stream, kind) = (
            columns.get::<i64>("no")?,
            columns.stream("id")?,
            columns.kind("kind")?,
        );
        let parent_run = columns.optional_stream("parent_run")?;
        let head = Head::read(row, db)?;
        let mut state = StreamState::new(no, stream, kind, parent_run);
        let letters = fold_events(connection, db, blobs, &head, &mut state, &mut report).await?;
        write_projections(connection, &state, &letters)
            .await
            .map_err(|error| db.error(error))?;
        report.n_streams += 1;
        last = Some(no);
    }
    Ok((last, report))
}

async fn fold_events(
    connection: &mut Link,
    db: &DbName,
    blobs: &BlobStore,
    head: &Head,
    state: &mut StreamState,
    report: &mut RebuildReport,
) -> Result<Letters, StoreError> {
    let stream = state.id.clone();
    let mut letters = Letters::default();
    let mut chain = Chain::new(head, 0);
    let mut after = 0;
    loop {
        let rows = page_query(&stream, after, PAGE).fetch_all(&mut *connection).await;
        let rows = rows.map_err(|error| db.error(error))?;
        let n_before = report.n_events;
        for row in &rows {
            let Some(mut stored) = stored_event(&stream, row, db)? else {
                continue;
            };
            let seq = stored.event.seq;
            if seq == after {
                continue;
            }
            if let Err(what) = chain.check(&stored) {
                report.unreadable.push(db.event_damaged(&stream, seq, what));
            }
            if let Some(blob) = &stored.blob {
                match read_data(&mut *connection, db, blobs, blob, (&stream, seq)).await {
                    Ok(data) => stored.event.update.data = data,
                    Err(error) => report.unreadable.push(error),
                }
            }
            state.note(&stored.event, stored.mark);
            letters.note(state.no, &stored.event);
            report.n_events += 1;
            after = seq;
        }
        if report.n_events == n_before {
            if let Err((seq, what)) = chain.check_end(true) {
                report.unreadable.push(db.event_damaged(&stream, seq, what));
            }
            return Ok(letters);
        }
    }
}

async fn write_projections(
    connection: &mut Link,
    state: &StreamState,
    letters: &Letters,
) -> Result<(), sqlx::Error> {
    query(
        "UPDATE streams SET last_seq = $1, ended = $2, resubmits = CASE WHEN $3 THEN resubmits END WHERE no = $4",
    )
    .bind(state.last_seq)
    .bind(state.ended)
    .bind(letters.are_resubmitted_by(state.no))
    .bind(state.no)
    .execute(&mut *connection)
    .await?;
    for table in [
        "DELETE FROM running_steps WHERE stream_no = $1",
        "DELETE FROM dead_letters WHERE stream_no = $1",
    ] {
        query(table).bind(state.no).execute(&mut *connection).await?;
    }
    let mut batch = Batch::default();
    let running: Vec<_> = state.running.iter().collect();
    batch.rows(&RUNNING_STEPS, &running, |(step, attempt), batch| {
        batch.value(state.no).value(step.as_str()).value(**attempt);
    });
    let rows: Vec<&RunRow> = state.row.iter().collect();
    batch.rows(&RUNS, &rows, |row, batch| run_values(state.no, row, batch));
    letters.write(&mut batch);
    batch.run(connection).await
}
