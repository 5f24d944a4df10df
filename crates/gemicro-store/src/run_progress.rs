//! How far each run has come, for readers that follow all runs with a cursor per run.

use gemicro_core::store::StoreError;
use gemicro_event::StreamId;

use crate::DurableStore;
use crate::columns::Columns;
use crate::sql::query;

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunProgress {
    /// Id of the run.
    pub run: StreamId,
    /// Its number: later runs have larger ones, and none is used twice.
    pub no: i64,
    /// The sequence number of its last event.
    pub last_seq: u64,
    /// Whether it has its terminal event.
    pub ended: bool,
    /// Whether it is a step of another run or a turn of a conversation.
    pub is_part: bool,
}

impl DurableStore {
    /// The runs after a number, and the named ones; erased runs are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn run_progress(
        &self,
        after_no: i64,
        named: &[StreamId],
    ) -> Result<Vec<RunProgress>, StoreError> {
        let db = &self.inner.db;
        let query = query(
            "SELECT s.id, s.no, s.last_seq, s.ended, r.part_of_parent, p.kind AS parent_kind \
             FROM streams s JOIN runs r ON r.stream_no = s.no LEFT JOIN streams p ON p.id = s.parent_run \
             WHERE s.erased_at IS NULL AND (s.no > $1 OR s.id = ANY($2)) ORDER BY s.no",
        );
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        let rows = query
            .bind(after_no)
            .bind(named)
            .fetch_all(&self.inner.readers)
            .await;
        let read = |row| {
            let columns = Columns::new(row, db);
            let parent_kind = columns.get::<Option<String>>("parent_kind")?;
            Ok(RunProgress {
                run: columns.stream("id")?,
                no: columns.get("no")?,
                last_seq: columns.number("last_seq")?,
                ended: columns.get("ended")?,
                is_part: columns.get("part_of_parent")? || parent_kind.as_deref() == Some("conversation"),
            })
        };
        rows.map_err(|error| db.error(error))?.iter().map(read).collect()
    }
}
