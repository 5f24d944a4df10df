//! Lists conversations and the event types in each. Their meaning is not known here.

use std::collections::BTreeMap;

use gemicro_core::store::StoreError;
use gemicro_event::{StreamId, Timestamp};

use crate::DurableStore;
use crate::columns::Columns;
use crate::sql::query;

/// One conversation that was not erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConversation {
    /// Id of the conversation.
    pub stream: StreamId,
    /// The time of its last event.
    pub updated_at: Timestamp,
    /// For every event type in it, the number of events and the sequence number of the last.
    pub types: BTreeMap<String, (u64, u64)>,
}

impl DurableStore {
    /// The newest conversations, by creation, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn conversations(&self, limit: usize) -> Result<Vec<StoredConversation>, StoreError> {
        let db = &self.inner.db;
        let query = query(
            "SELECT s.id, e.event_type, count(*) AS n_events, max(e.seq) AS last_seq, max(e.at_ms) AS at_ms \
             FROM (SELECT no, id FROM streams WHERE kind = 'conversation' AND erased_at IS NULL \
                   ORDER BY no DESC LIMIT $1) s JOIN events e ON e.stream_no = s.no \
             GROUP BY s.no, s.id, e.event_type ORDER BY s.no DESC",
        );
        let rows = query
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        let mut found: Vec<StoredConversation> = Vec::new();
        for row in &rows {
            let columns = Columns::new(row, db);
            let (stream, at) = (columns.stream("id")?, columns.time("at_ms")?);
            if found.last().is_none_or(|last| last.stream != stream) {
                found.push(StoredConversation {
                    stream,
                    updated_at: at,
                    types: BTreeMap::new(),
                });
            }
            if let Some(last) = found.last_mut() {
                last.updated_at = last.updated_at.max(at);
                let counted = (columns.number("n_events")?, columns.number("last_seq")?);
                last.types.insert(columns.get("event_type")?, counted);
            }
        }
        Ok(found)
    }
}
