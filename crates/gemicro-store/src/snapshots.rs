//! Kept folds: a cache that may be lost.

use gemicro_core::store::StoreError;
use gemicro_event::StreamId;

use crate::SqliteStore;
use crate::read::read_head;
use crate::writer::Scope;

impl SqliteStore {
    pub(crate) async fn write_snapshot(
        &self,
        stream: StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> Result<(), StoreError> {
        let db = self.inner.db.clone();
        self.transact(Scope::Beside, move |connection| {
            Box::pin(async move {
                let head = read_head(&mut *connection, &db, &stream).await?;
                head.check_not_erased(&stream)?;
                sqlx::query(
                    "INSERT INTO snapshots (stream_no, seq, state) VALUES (?, ?, ?) \
                     ON CONFLICT (stream_no) DO UPDATE SET seq = excluded.seq, state = excluded.state",
                )
                .bind(head.no)
                .bind(seq.cast_signed())
                .bind(state)
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
        let query =
            sqlx::query_as::<_, (i64, Vec<u8>)>("SELECT seq, state FROM snapshots WHERE stream_no = ?");
        let found = query.bind(head.no).fetch_optional(&self.inner.readers).await;
        let found = found.map_err(|error| self.inner.db.error(error))?;
        Ok(found.map(|(seq, state)| (seq.cast_unsigned(), state)))
    }
}
