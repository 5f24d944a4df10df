//! Loads streams from the tables for the writer, and locks them until the transaction ends.

use std::collections::{BTreeSet, HashMap};

use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{StepKey, StreamId};

use super::fault::GroupFault;
use super::state::StreamState;
use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{Link, SqlRow, query};

/// Loads the states of these streams, as far as they exist.
pub(crate) async fn load_streams(
    link: &mut Link,
    db: &DbName,
    streams: &BTreeSet<&StreamId>,
) -> Result<Vec<StreamState>, GroupFault> {
    if streams.is_empty() {
        return Ok(Vec::new());
    }
    let fail = |error| GroupFault::of(db, error);
    // The same order everywhere avoids deadlocks between processes.
    let heads = query(
        "SELECT * FROM streams s LEFT JOIN runs ON runs.stream_no = s.no WHERE s.id = ANY($1) \
         ORDER BY s.id FOR UPDATE OF s",
    );
    let ids: Vec<String> = streams.iter().map(ToString::to_string).collect();
    let rows = heads.bind(ids).fetch_all(&mut *link).await.map_err(fail)?;
    let mut states = HashMap::new();
    for row in &rows {
        let state = read_state(row, db)?;
        states.insert(state.no, state);
    }
    if states.is_empty() {
        return Ok(Vec::new());
    }
    // The running steps, and the seal of the last event. Not in the first statement: on PostgreSQL that one sees the
    // events from before it got the locks.
    let rest = query(
        "SELECT stream_no, step, attempt, CAST(NULL AS BIGINT) AS seal FROM running_steps WHERE stream_no = ANY($1) \
         UNION ALL SELECT e.stream_no, NULL, NULL, e.seal FROM streams s \
         JOIN events e ON e.stream_no = s.no AND e.seq = s.last_seq WHERE s.no = ANY($1)",
    );
    let numbers: Vec<i64> = states.keys().copied().collect();
    let rows = rest.bind(numbers).fetch_all(link).await.map_err(fail)?;
    for row in &rows {
        let columns = Columns::new(row, db);
        let Some(state) = states.get_mut(&columns.get::<i64>("stream_no")?) else {
            continue;
        };
        match columns.get::<Option<String>>("step")? {
            Some(step) => {
                let attempt = columns.get("attempt")?;
                state.running.insert(StepKey::new(step), attempt);
            }
            None => state.seal = columns.get("seal")?,
        }
    }
    Ok(states.into_values().collect())
}

fn read_state(row: &SqlRow, db: &DbName) -> Result<StreamState, StoreError> {
    let columns = Columns::new(row, db);
    let kind = columns.kind("kind")?;
    Ok(StreamState {
        no: columns.get("no")?,
        id: columns.stream("id")?,
        kind,
        parent_run: columns.optional_stream("parent_run")?,
        first_seq: columns.number("first_seq")?,
        last_seq: columns.number("last_seq")?,
        ended: columns.get("ended")?,
        erased_at: columns.optional_time("erased_at")?,
        lease_owner: columns.get("lease_owner")?,
        lease_epoch: columns.number("lease_epoch")?,
        lease_expires_at: columns.time("lease_expires_at")?,
        row: if kind == StreamKind::Run {
            Some(columns.run_row()?)
        } else {
            None
        },
        running: HashMap::new(),
        seal: None,
    })
}

/// The number of the next new stream. No other process can create one until the transaction ends. The lock number is
/// "stre".
pub(crate) async fn next_no(link: &mut Link, db: &DbName) -> Result<i64, GroupFault> {
    let fail = |error| GroupFault::of(db, error);
    if let Link::Postgres(_) = link {
        let lock = query("SELECT pg_advisory_xact_lock(1937011301)");
        lock.execute(&mut *link).await.map_err(fail)?;
    }
    let next = query("SELECT coalesce(max(no), 0) + 1 AS no FROM streams");
    let row = next.fetch_one(link).await.map_err(fail)?;
    Ok(Columns::new(&row, db).get("no")?)
}
