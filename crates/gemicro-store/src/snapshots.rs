//! Snapshots of folded states: a cache that may be lost.

use gemicro_core::store::StoreError;
use gemicro_event::StreamId;

use crate::DurableStore;
use crate::columns::Columns;
use crate::read::lock_head;
use crate::seal::SealBuilder;
use crate::sql::query;
use crate::writer::JobScope;

impl DurableStore {
    pub(crate) async fn write_snapshot(
        &self,
        stream: StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> Result<(), StoreError> {
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |connection| {
            Box::pin(async move {
                let head = lock_head(connection, &db, &stream).await?;
                head.check_not_erased(&stream)?;
                query(
                    "INSERT INTO snapshots (stream_no, seq, state) VALUES ($1, $2, $3) \
                     ON CONFLICT (stream_no) DO UPDATE SET seq = excluded.seq, state = excluded.state",
                )
                .bind(head.no)
                .bind(seq)
                .bind(seal_state(&stream, seq, &state))
                .execute(connection)
                .await
                .map(drop)
                .map_err(|error| db.error(error))
            })
        })
        .await
    }

    pub(crate) async fn read_snapshot(
        &self,
        stream: &StreamId,
    ) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let head = self.head(stream).await?;
        let db = &self.inner.db;
        let query = query("SELECT seq, state FROM snapshots WHERE stream_no = $1");
        let row = query.bind(head.no).fetch_optional(&self.inner.readers).await;
        let Some(row) = row.map_err(|error| db.error(error))? else {
            return Ok(None);
        };
        let columns = Columns::new(&row, db);
        let (seq, kept) = (columns.number("seq")?, columns.get::<Vec<u8>>("state")?);
        // A snapshot that was changed on disk is ignored.
        Ok(open_seal(stream, seq, kept).map(|state| (seq, state)))
    }
}

/// Puts the seal in front of the state.
fn seal_state(stream: &StreamId, seq: u64, state: &[u8]) -> Vec<u8> {
    let mut kept = seal(stream, seq, state).to_le_bytes().to_vec();
    kept.extend_from_slice(state);
    kept
}

/// The state, if the seal matches.
fn open_seal(stream: &StreamId, seq: u64, mut kept: Vec<u8>) -> Option<Vec<u8>> {
    let found = kept.first_chunk::<8>().copied()?;
    kept.drain(..8);
    (i64::from_le_bytes(found) == seal(stream, seq, &kept)).then_some(kept)
}

fn seal(stream: &StreamId, seq: u64, state: &[u8]) -> i64 {
    SealBuilder::new()
        .text(stream.as_str())
        .unsigned(seq)
        .bytes(state)
        .finish()
}
