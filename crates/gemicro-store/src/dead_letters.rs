//! The dead-letter list: steps that failed permanently, and the runs that retry them.
//!
//! [`gemicro_core::run::DeadLetter`] defines what a dead letter is. [`Letters`] writes both projections, for
//! appends, for `rebuild` and for stores of older formats. The run that resubmits a letter is not stored
//! with the letter: it follows from `streams.resubmits`, which outlives the events of that run.

use std::collections::BTreeMap;

use gemicro_core::run::{DeadLetter, resubmitted_run};
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Event, Failure, StepKey, StreamId, Timestamp};
use serde::Serialize;

use crate::DurableStore;
use crate::blob_store::BlobStore;
use crate::columns::Columns;
use crate::error::DbName;
use crate::read::{read_data, stored_event};
use crate::seal::SealBuilder;
use crate::sql::{Batch, Column, ColumnKind, Link, RowStatement, query};

/// The dead letters to list.
#[derive(Debug, Clone, Default)]
pub struct DeadLetterFilter {
    /// Only those of this run.
    pub run: Option<StreamId>,
    /// Whether to include those that another run has retried.
    pub include_resubmitted: bool,
    /// Maximum number; `None` means 50.
    pub limit: Option<usize>,
}

/// A dead letter in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetterRow {
    /// Id of the run that the step belongs to.
    pub run: StreamId,
    /// The step that failed permanently.
    pub step: StepKey,
    /// Number of attempts.
    pub attempts: u32,
    /// The kind of the last failure.
    pub error_kind: ErrorKind,
    /// The message of the last failure.
    pub message: String,
    /// The time of the last failure.
    pub at: Timestamp,
    /// The newest run that retries it; it may have been erased since.
    pub resubmitted_as: Option<StreamId>,
}

/// The changes that some events make to the dead-letter list.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    /// By stream and step: sequence number of the event, and the letter.
    new: BTreeMap<(i64, StepKey), (u64, DeadLetter)>,
    /// Streams that retry steps of their parent.
    resubmitting: Vec<i64>,
}

const DEFAULT_LIMIT: usize = 50;

/// Number of events read at a time when an older store is filled.
const FILL_BATCH: i64 = 4096;

const DEAD_LETTERS: RowStatement = RowStatement {
    before: "INSERT INTO dead_letters (stream_no, step, seq, attempts, error_kind, message, at_ms, seal)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (stream_no, step) DO UPDATE SET seq = excluded.seq, attempts = excluded.attempts, \
            error_kind = excluded.error_kind, message = excluded.message, at_ms = excluded.at_ms, \
            seal = excluded.seal",
};

/// Rows of `events` are in order of arrival, so the parent's last event before the run's first is known even
/// if both came in one transaction. An erased parent has no events; then the number is kept.
const RESUBMITTING: RowStatement = RowStatement {
    before: "UPDATE streams SET resubmits = coalesce((SELECT e.seq FROM events e \
             WHERE e.stream_no = (SELECT p.no FROM streams p WHERE p.id = streams.parent_run) AND e.rowid < \
             (SELECT f.rowid FROM events f WHERE f.stream_no = streams.no AND f.seq = 1) \
             ORDER BY e.seq DESC LIMIT 1), resubmits) WHERE no IN (",
    columns: &[ColumnKind::Int],
    after: ")",
};

impl DurableStore {
    /// Steps that failed permanently, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn dead_letters(&self, filter: &DeadLetterFilter) -> Result<Vec<DeadLetterRow>, StoreError> {
        let db = &self.inner.db;
        let limit = i64::try_from(filter.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(i64::MAX);
        let run = filter.run.as_ref().map(StreamId::as_str);
        let query = query(
            "SELECT * FROM (SELECT s.id, d.*, (SELECT c.id FROM streams c \
                 WHERE c.parent_run = s.id AND c.resubmits >= d.seq ORDER BY c.no DESC LIMIT 1) AS resubmitted_as \
             FROM dead_letters d JOIN streams s ON s.no = d.stream_no WHERE $1 IS NULL OR s.id = $1) letters \
             WHERE $2 OR resubmitted_as IS NULL ORDER BY at_ms DESC, stream_no DESC, seq DESC LIMIT $3",
        );
        let rows = query
            .bind(run)
            .bind(filter.include_resubmitted)
            .bind(limit)
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        let read = |row| {
            let columns = Columns::new(row, db);
            let error_kind = columns.get::<String>("error_kind")?.parse();
            let row = DeadLetterRow {
                run: columns.stream("id")?,
                step: StepKey::new(columns.get::<String>("step")?),
                attempts: columns.get("attempts")?,
                error_kind: error_kind.map_err(|error| db.odd_row(error))?,
                message: columns.get("message")?,
                at: columns.time("at_ms")?,
                resubmitted_as: columns.optional_stream("resubmitted_as")?,
            };
            let letter = DeadLetter {
                run: row.run.clone(),
                step: row.step.clone(),
                attempts: row.attempts,
                error: Failure::new(row.error_kind, row.message.clone()),
                at: row.at,
            };
            let seal = seal_letter(columns.get("stream_no")?, columns.number("seq")?, &letter);
            if columns
                .get::<Option<i64>>("seal")?
                .is_some_and(|kept| kept != seal)
            {
                let what = format!("a dead letter of run {} was changed on the disk", row.run);
                return Err(db.projection_damaged(what));
            }
            Ok(row)
        };
        rows.iter().map(read).collect()
    }
}

impl Letters {
    pub(crate) fn note(&mut self, stream_no: i64, event: &Event) {
        if let Some(letter) = DeadLetter::of(event) {
            self.new
                .insert((stream_no, letter.step.clone()), (event.seq, letter));
        }
        if resubmitted_run(event).is_some() {
            self.resubmitting.push(stream_no);
        }
    }

    /// Whether a stream retries steps of its parent.
    pub(crate) fn are_resubmitted_by(&self, stream_no: i64) -> bool {
        self.resubmitting.contains(&stream_no)
    }

    /// Adds the statements to the batch, after those that write the streams and events. Adds none if no event affects
    /// the list.
    pub(crate) fn write(&self, batch: &mut Batch) {
        let new: Vec<_> = self.new.iter().collect();
        batch.rows(&DEAD_LETTERS, &new, |((stream_no, _), (seq, letter)), batch| {
            batch
                .value(*stream_no)
                .value(letter.step.as_str())
                .value(*seq)
                .value(letter.attempts)
                .value(letter.error.kind.as_str())
                .value(letter.error.message.as_str())
                .value(letter.at.as_millis())
                .value(seal_letter(*stream_no, *seq, letter));
        });
        batch.rows(&RESUBMITTING, &self.resubmitting, |stream_no, batch| {
            batch.value(*stream_no);
        });
    }
}

fn seal_letter(stream_no: i64, seq: u64, letter: &DeadLetter) -> i64 {
    SealBuilder::new()
        .number(stream_no)
        .text(letter.step.as_str())
        .unsigned(seq)
        .number(i64::from(letter.attempts))
        .text(letter.error.kind.as_str())
        .text(&letter.error.message)
        .number(letter.at.as_millis())
        .finish()
}

/// Fills the list of a store from an older format. Reads only the relevant events; one whose blob is missing is
/// skipped, as in a rebuild.
pub(crate) async fn fill(connection: &mut Link, db: &DbName, blobs: &BlobStore) -> Result<(), StoreError> {
    let mut after = Some(0);
    while let Some(last) = after {
        let query = query(
            "SELECT s.id, s.parent_run, e.rowid AS place, e.* FROM events e JOIN streams s ON s.no = e.stream_no \
             WHERE e.rowid > $1 AND (e.event_type = 'step_failed' \
                 OR (e.event_type = 'run_started' AND s.parent_run IS NOT NULL)) \
             ORDER BY e.rowid LIMIT $2",
        );
        let rows = query
            .bind(last)
            .bind(FILL_BATCH)
            .fetch_all(&mut *connection)
            .await
            .map_err(|error| db.error(error))?;
        let mut letters = Letters::default();
        for row in &rows {
            let columns = Columns::new(row, db);
            let stream = columns.stream("id")?;
            let Some(mut stored) = stored_event(&stream, row, db)? else {
                continue;
            };
            if let Some(blob) = &stored.blob {
                match read_data(&mut *connection, db, blobs, blob, (&stream, stored.event.seq)).await {
                    Ok(data) => stored.event.update.data = data,
                    Err(error) => tracing::warn!(%error, "making the dead-letter list"),
                }
            }
            letters.note(columns.get("stream_no")?, &stored.event);
        }
        let mut batch = Batch::default();
        letters.write(&mut batch);
        batch.run(connection).await.map_err(|error| db.error(error))?;
        let place = rows.last().map(|row| i64::read(row, "place"));
        after = place.transpose().map_err(|error| db.error(error))?;
    }
    Ok(())
}
