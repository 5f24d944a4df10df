//! Writes the changes of a group in a few statements.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_core::run::RunRow;
use gemicro_core::store::{BoardLine, StepMark};
use gemicro_event::{StepKey, StreamId, Timestamp};

use super::{EventRow, state::StreamState};
use crate::dead_letters::Letters;
use crate::queue::{PLACES, QueueRow};
use crate::seal::{extra_text, mark_columns, run_columns, seal_line, seal_run};
use crate::sql::{Batch, ColumnKind, Link, RowStatement, Values};
use crate::written_counter::{WRITTEN, WrittenTotal};

/// All changes of the accepted requests of one transaction.
#[derive(Debug, Default)]
pub(crate) struct FlushedChanges {
    pub(crate) events: Vec<EventRow>,
    /// Streams whose row changed.
    pub(crate) streams: BTreeSet<StreamId>,
    /// Changed rows of the queue.
    pub(crate) places: Vec<QueueRow>,
    /// Board lines, with the sequence number of their stream's last event.
    pub(crate) board: BTreeMap<(i64, u32), (u64, BoardLine)>,
    /// The new total number of events, if it is counted.
    pub(crate) written: Option<WrittenTotal>,
}

impl FlushedChanges {
    /// Adds lines of a stream's board; the last one of each place wins.
    pub(crate) fn note_board(&mut self, stream: &StreamState, lines: &[BoardLine]) {
        for line in lines {
            let key = (stream.no, line.place);
            self.board.insert(key, (stream.last_seq, line.clone()));
        }
    }
}

pub(crate) const STREAMS: RowStatement = RowStatement {
    before: "INSERT INTO streams (no, id, kind, parent_run, first_seq, last_seq, ended, erased_at, \
             lease_owner, lease_epoch, lease_expires_at)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Bool,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (no) DO UPDATE SET last_seq = excluded.last_seq, ended = excluded.ended, \
            lease_owner = excluded.lease_owner, lease_epoch = excluded.lease_epoch, \
            lease_expires_at = excluded.lease_expires_at",
};

pub(crate) const EVENTS: RowStatement = RowStatement {
    before: "INSERT INTO events (stream_no, seq, schema_version, event_type, message, at_ms, data, data_blob, \
             step, mark, attempt, trace, extra, seal)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
    ],
    after: "",
};

pub(crate) const RUNS: RowStatement = RowStatement {
    before: "INSERT INTO runs (stream_no, flow, title, status, error_kind, n_events, tokens, micro_usd, turns, \
             started_at, updated_at, ended_at, cost_unknowns, part_of_parent, seal)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Bool,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (stream_no) DO UPDATE SET flow = excluded.flow, title = excluded.title, \
            status = excluded.status, error_kind = excluded.error_kind, n_events = excluded.n_events, \
            tokens = excluded.tokens, micro_usd = excluded.micro_usd, turns = excluded.turns, \
            started_at = excluded.started_at, updated_at = excluded.updated_at, ended_at = excluded.ended_at, \
            cost_unknowns = excluded.cost_unknowns, part_of_parent = excluded.part_of_parent, seal = excluded.seal",
};

pub(crate) const RUNNING_STEPS: RowStatement = RowStatement {
    before: "INSERT INTO running_steps (stream_no, step, attempt)",
    columns: &[ColumnKind::Int, ColumnKind::Text, ColumnKind::Int],
    after: "ON CONFLICT (stream_no, step) DO UPDATE SET attempt = excluded.attempt",
};

pub(crate) const BOARD: RowStatement = RowStatement {
    before: "INSERT INTO board (stream_no, place, seq, state, shown, seal)",
    columns: &[
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (stream_no, place) DO UPDATE SET seq = excluded.seq, state = excluded.state, \
            shown = excluded.shown, seal = excluded.seal",
};

const ENDED_STEPS: RowStatement = RowStatement {
    before: "DELETE FROM running_steps WHERE (stream_no, step) IN (",
    columns: &[ColumnKind::Int, ColumnKind::Text],
    after: ")",
};

/// Removes the steps of ended runs from the queue.
const ENDED_STREAMS: RowStatement = RowStatement {
    before: "DELETE FROM queue WHERE no IN (SELECT no FROM queue WHERE stream_no IN (",
    columns: &[ColumnKind::Int],
    after: ") ORDER BY no FOR UPDATE)",
};

const BLOB_REFS: RowStatement = RowStatement {
    before: "INSERT INTO blob_refs (stream, blob, n_bytes, at_ms)",
    columns: &[
        ColumnKind::Text,
        ColumnKind::Text,
        ColumnKind::Int,
        ColumnKind::Int,
    ],
    after: "ON CONFLICT (stream, blob) DO NOTHING",
};

/// Writes the changes and commits, in one round trip; `state_of` returns the new state of a changed stream.
pub(crate) async fn flush<'s>(
    link: &mut Link,
    changes: &'s FlushedChanges,
    state_of: impl Fn(&StreamId) -> Option<&'s StreamState>,
) -> Result<(), sqlx::Error> {
    let mut batch = Batch::default();
    let streams: Vec<&StreamState> = changes.streams.iter().filter_map(state_of).collect();
    batch.rows(&STREAMS, &streams, |stream, batch| stream_values(stream, batch));
    let rows = streams
        .iter()
        .filter_map(|stream| stream.row.as_ref().map(|row| (stream.no, row)));
    let runs: Vec<(i64, &RunRow)> = rows.collect();
    batch.rows(&RUNS, &runs, |(stream_no, row), batch| {
        run_values(*stream_no, row, batch)
    });
    batch.rows(&EVENTS, &changes.events, event_values);
    add_steps(&mut batch, &changes.events);
    let mut letters = Letters::default();
    for row in &changes.events {
        letters.note(row.stream_no, &row.event);
    }
    letters.write(&mut batch);
    let now = Timestamp::now().as_millis();
    let with_blob: Vec<&EventRow> = changes.events.iter().filter(|row| row.blob.is_some()).collect();
    batch.rows(&BLOB_REFS, &with_blob, |row, batch| {
        let n_bytes = row.event.update.data.text().len() as u64;
        let blob = row.blob.as_ref().map(|blob| blob.as_str());
        batch
            .value(row.event.stream.as_str())
            .value(blob)
            .value(n_bytes)
            .value(now);
    });
    let board: Vec<_> = changes.board.iter().collect();
    batch.rows(&BOARD, &board, |((stream_no, _), (seq, line)), batch| {
        board_values(*stream_no, *seq, line, batch);
    });
    let written: Vec<&WrittenTotal> = changes.written.iter().collect();
    batch.rows(&WRITTEN, &written, |total, batch| total.values(batch));
    batch.rows(&PLACES, &changes.places, QueueRow::values);
    let ended = streams.iter().filter(|stream| stream.ended);
    let ended: Vec<i64> = ended.map(|stream| stream.no).collect();
    batch.rows(&ENDED_STREAMS, &ended, |stream_no, batch| {
        batch.value(*stream_no);
    });
    batch.notify(changes.streams.iter().map(ToString::to_string).collect());
    batch.commit();
    batch.run(link).await
}

/// Adds the started and ended steps; only the last mark of a step counts.
fn add_steps(batch: &mut Batch, events: &[EventRow]) {
    let mut last: BTreeMap<(i64, &StepKey), StepMark> = BTreeMap::new();
    for row in events {
        if let (Some(step), Some(mark)) = (&row.event.step, row.mark) {
            last.insert((row.stream_no, step), mark);
        }
    }
    let (mut started, mut ended) = (Vec::new(), Vec::new());
    for ((stream_no, step), mark) in last {
        match mark {
            StepMark::Started(attempt) => started.push((stream_no, step, attempt)),
            StepMark::Ended(_) => ended.push((stream_no, step)),
        }
    }
    batch.rows(&RUNNING_STEPS, &started, |(stream_no, step, attempt), batch| {
        batch.value(*stream_no).value(step.as_str()).value(*attempt);
    });
    batch.rows(&ENDED_STEPS, &ended, |(stream_no, step), batch| {
        batch.value(*stream_no).value(step.as_str());
    });
}

fn stream_values(stream: &StreamState, batch: &mut Values) {
    batch
        .value(stream.no)
        .value(stream.id.as_str())
        .value(stream.kind.as_str())
        .value(stream.parent_run.as_ref().map(StreamId::as_str))
        .value(stream.first_seq)
        .value(stream.last_seq)
        .value(stream.ended)
        .value(stream.erased_at.map(Timestamp::as_millis))
        .value(stream.lease_owner.as_deref())
        .value(stream.lease_epoch)
        .value(stream.lease_expires_at.as_millis());
}

/// The columns of [`RUNS`].
pub(crate) fn run_values(stream_no: i64, row: &RunRow, batch: &mut Values) {
    batch.value(stream_no);
    for (value, _) in run_columns(row) {
        batch.value(value);
    }
    batch.value(seal_run(row));
}

/// The columns of [`BOARD`].
pub(crate) fn board_values(stream_no: i64, seq: u64, line: &BoardLine, batch: &mut Values) {
    let seal = seal_line(stream_no, (line.place, seq), &line.state, line.shown.text());
    batch
        .value(stream_no)
        .value(line.place)
        .value(seq)
        .value(line.state.as_str())
        .value(line.shown.text())
        .value(seal);
}

/// The columns of [`EVENTS`].
pub(crate) fn event_values(row: &EventRow, batch: &mut Values) {
    let event = &row.event;
    let (mark, attempt) = mark_columns(row.mark);
    let inline = row.blob.is_none().then(|| event.update.data.text());
    batch
        .value(row.stream_no)
        .value(event.seq)
        .value(event.schema_version)
        .value(event.update.event_type.as_str())
        .value(event.update.message.as_str())
        .value(event.update.timestamp.as_millis())
        .value(inline)
        .value(row.blob.as_ref().map(|blob| blob.as_str()))
        .value(event.step.as_ref().map(StepKey::as_str))
        .value(mark)
        .value(attempt)
        .value(event.trace.as_deref())
        .value(extra_text(&event.extra))
        .value(row.seal);
}
