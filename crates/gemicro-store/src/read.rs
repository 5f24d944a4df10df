//! Reads events from the table, with their data from blobs.

use gemicro_core::blob::{BlobError, BlobId};
use gemicro_core::store::{StepMark, StoreError, StreamKind, StreamPage};
use gemicro_event::{AgentUpdate, Event, Json, StepKey, StreamId, Timestamp};

use crate::DurableStore;
use crate::blob_store::BlobStore;
use crate::chain::{CHANGED, Chain};
use crate::columns::Columns;
use crate::error::DbName;
use crate::seal::seal_event;
use crate::sql::{Link, Query, SqlRow, SqlTarget, query};

/// A stream's row, for readers.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) no: i64,
    pub(crate) kind: StreamKind,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) ended: bool,
    pub(crate) erased_at: Option<Timestamp>,
}

/// An event whose data may still be in a blob.
#[derive(Debug)]
pub(crate) struct StoredEvent {
    pub(crate) event: Event,
    pub(crate) mark: Option<StepMark>,
    pub(crate) blob: Option<BlobId>,
    /// `None` for events written before seals existed.
    pub(crate) seal: Option<i64>,
}

impl DurableStore {
    pub(crate) async fn read_page(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<StreamPage, StoreError> {
        let (head, stored) = self.read_stored(stream, after, limit).await?;
        head.check_not_erased(stream)?;
        let mut events = Vec::with_capacity(stored.len());
        for event in stored {
            events.push(self.whole(event).await?);
        }
        let first_available = (after + 1 < head.first_seq).then_some(head.first_seq);
        Ok(StreamPage {
            events,
            first_available,
            last_seq: head.last_seq,
        })
    }

    /// The events of a stream except those of some types, which are filtered in the database.
    ///
    /// # Errors
    /// When the stream does not exist, was erased, or one of these events is damaged.
    pub async fn read_without(&self, stream: &StreamId, types: &[&str]) -> Result<Vec<Event>, StoreError> {
        self.head(stream).await?;
        let query = query(
            "SELECT s.parent_run, e.*, b.seal AS seal_before FROM streams s JOIN events e ON e.stream_no = s.no \
             LEFT JOIN events b ON b.stream_no = e.stream_no AND b.seq = e.seq - 1 \
             WHERE s.id = $1 AND NOT (e.event_type = ANY($2)) ORDER BY e.seq",
        );
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        self.read_filtered(stream, query.bind(stream.as_str()).bind(types))
            .await
    }

    /// The events of some types after a sequence number, filtered in the database.
    ///
    /// # Errors
    /// When the stream does not exist, was erased, or one of these events is damaged.
    pub async fn read_types(
        &self,
        stream: &StreamId,
        after: u64,
        types: &[&str],
    ) -> Result<Vec<Event>, StoreError> {
        self.head(stream).await?;
        let query = query(
            "SELECT s.parent_run, e.*, b.seal AS seal_before FROM streams s JOIN events e ON e.stream_no = s.no \
             LEFT JOIN events b ON b.stream_no = e.stream_no AND b.seq = e.seq - 1 \
             WHERE s.id = $1 AND e.seq > $2 AND e.event_type = ANY($3) ORDER BY e.seq",
        );
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        let query = query.bind(stream.as_str()).bind(after).bind(types);
        self.read_filtered(stream, query).await
    }

    /// Checks each event by the seal of the event before it, which the query returns as `seal_before`.
    async fn read_filtered(&self, stream: &StreamId, query: Query) -> Result<Vec<Event>, StoreError> {
        let db = &self.inner.db;
        let rows = query.fetch_all(&self.inner.readers).await;
        let mut events = Vec::new();
        for row in rows.map_err(|error| db.error(error))? {
            let Some(stored) = stored_event(stream, &row, db)? else {
                continue;
            };
            let before = Columns::new(&row, db).get("seal_before")?;
            if !stored.fits(before) {
                return Err(db.event_damaged(stream, stored.event.seq, CHANGED));
            }
            events.push(self.whole(stored).await?);
        }
        Ok(events)
    }

    /// Uses one statement, so that the stream's row and its events are consistent.
    pub(crate) async fn read_stored(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<(Head, Vec<StoredEvent>), StoreError> {
        let db = &self.inner.db;
        let rows = page_query(stream, after, limit)
            .fetch_all(&self.inner.readers)
            .await;
        let rows = rows.map_err(|error| db.error(error))?;
        let Some(first) = rows.first() else {
            return Err(StoreError::NotFound {
                stream: stream.to_string(),
            });
        };
        let head = Head::read(first, db)?;
        let mut chain = Chain::new(&head, after);
        let mut events = Vec::with_capacity(rows.len().min(limit));
        for row in &rows {
            let Some(stored) = stored_event(stream, row, db)? else {
                break;
            };
            if stored.event.seq == after {
                chain.begin_after(&stored);
            } else if events.len() < limit {
                chain
                    .check(&stored)
                    .and_then(|()| chain.check_ended(&stored))
                    .map_err(|what| db.event_damaged(stream, stored.event.seq, what))?;
                events.push(stored);
            }
        }
        chain
            .check_end(events.len() < limit)
            .map_err(|(seq, what)| db.event_damaged(stream, seq, what))?;
        Ok((head, events))
    }

    /// Loads the data of a large event from its blob.
    pub(crate) async fn whole(&self, stored: StoredEvent) -> Result<Event, StoreError> {
        let StoredEvent { mut event, blob, .. } = stored;
        if let Some(blob) = blob {
            let inner = &self.inner;
            let at = (&event.stream, event.seq);
            event.update.data = read_data(&inner.readers, &inner.db, &inner.blobs, &blob, at).await?;
        }
        Ok(event)
    }

    /// The row of a stream that exists and was not erased.
    pub(crate) async fn head(&self, stream: &StreamId) -> Result<Head, StoreError> {
        let head = read_head(&self.inner.readers, &self.inner.db, stream).await?;
        head.check_not_erased(stream)?;
        Ok(head)
    }
}

impl StoredEvent {
    /// Whether it is unchanged, after an event with the seal `before`; always true for an event without a seal.
    pub(crate) fn fits(&self, before: Option<i64>) -> bool {
        let seal = || seal_event(before, &self.event, self.mark, self.blob.as_ref());
        self.seal.is_none_or(|kept| kept == seal())
    }
}

impl Head {
    pub(crate) fn read(row: &SqlRow, db: &DbName) -> Result<Self, StoreError> {
        let columns = Columns::new(row, db);
        let head = Self {
            no: columns.get("no")?,
            kind: columns.kind("kind")?,
            first_seq: columns.number("first_seq")?,
            last_seq: columns.number("last_seq")?,
            ended: columns.get("ended")?,
            erased_at: columns.optional_time("erased_at")?,
        };
        // Only erasing removes events, and it removes all of them.
        let first_seq = match head.erased_at {
            Some(_) => head.last_seq.checked_add(1),
            None => Some(1),
        };
        if first_seq != Some(head.first_seq) {
            return Err(db.odd_row(format_args!("stream {} begins at {}", head.no, head.first_seq)));
        }
        Ok(head)
    }

    pub(crate) fn check_not_erased(&self, stream: &StreamId) -> Result<(), StoreError> {
        match self.erased_at {
            Some(at) => Err(StoreError::Erased {
                stream: stream.clone(),
                at,
            }),
            None => Ok(()),
        }
    }
}

/// The row of a stream, erased or not.
pub(crate) async fn read_head<'t>(
    target: impl SqlTarget<'t>,
    db: &DbName,
    stream: &StreamId,
) -> Result<Head, StoreError> {
    find_head(target, query("SELECT * FROM streams WHERE id = $1"), db, stream).await
}

/// The same inside a write transaction: locks the stream until its end.
pub(crate) async fn lock_head(link: &mut Link, db: &DbName, stream: &StreamId) -> Result<Head, StoreError> {
    let locking = query("SELECT * FROM streams WHERE id = $1 FOR UPDATE");
    find_head(link, locking, db, stream).await
}

async fn find_head<'t>(
    target: impl SqlTarget<'t>,
    query: Query,
    db: &DbName,
    stream: &StreamId,
) -> Result<Head, StoreError> {
    let row = query.bind(stream.as_str()).fetch_optional(target).await;
    let row = row.map_err(|error| db.error(error))?;
    let row = row.ok_or_else(|| StoreError::NotFound {
        stream: stream.to_string(),
    })?;
    Head::read(&row, db)
}

/// The head of a stream with its events from `after` on: that event, whose seal the next one covers, and at least the
/// next `limit`. A stream without such events still gives one row.
pub(crate) fn page_query(stream: &StreamId, after: u64, limit: usize) -> Query {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let n_rows = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    query(
        "SELECT s.no, s.kind, s.parent_run, s.first_seq, s.last_seq, s.ended, s.erased_at, e.* \
         FROM streams s LEFT JOIN events e ON e.stream_no = s.no AND e.seq >= $1 \
         WHERE s.id = $2 ORDER BY e.seq LIMIT $3",
    )
    .bind(after)
    .bind(stream.as_str())
    .bind(n_rows)
}

/// Reads an event from a row of [`page_query`]; `None` if the row has no event.
pub(crate) fn stored_event(
    stream: &StreamId,
    row: &SqlRow,
    db: &DbName,
) -> Result<Option<StoredEvent>, StoreError> {
    let columns = Columns::new(row, db);
    let Some(seq) = columns.get::<Option<i64>>("seq")? else {
        return Ok(None);
    };
    let json = |text: String| Json::from_text(&text).map_err(|error| db.odd_row(error));
    let blob = match columns.get::<Option<String>>("data_blob")? {
        Some(text) => Some(BlobId::parse(&text).ok_or_else(|| db.odd_row("a blob's name"))?),
        None => None,
    };
    let data = columns.get::<Option<String>>("data")?;
    let extra = match columns.get::<Option<String>>("extra")? {
        Some(text) => serde_json::from_str(&text).map_err(|error| db.odd_row(error))?,
        None => Vec::new(),
    };
    let event = Event {
        stream: stream.clone(),
        seq: seq.cast_unsigned(),
        schema_version: columns.get("schema_version")?,
        update: AgentUpdate {
            event_type: columns.get("event_type")?,
            message: columns.get("message")?,
            timestamp: columns.time("at_ms")?,
            data: data.map(json).transpose()?.unwrap_or_default(),
        },
        step: columns.get::<Option<String>>("step")?.map(StepKey::new),
        parent_run: columns.optional_stream("parent_run")?,
        trace: columns.get("trace")?,
        extra,
    };
    let mark = columns.get::<Option<String>>("mark")?;
    let mark = match (mark.as_deref(), columns.get::<Option<u32>>("attempt")?) {
        (Some("started"), Some(attempt)) => Some(StepMark::Started(attempt)),
        (Some("ended"), Some(attempt)) => Some(StepMark::Ended(attempt)),
        (None, _) => None,
        (Some(other), _) => return Err(db.odd_row(format_args!("mark {other}"))),
    };
    let seal = columns.get("seal")?;
    Ok(Some(StoredEvent {
        event,
        mark,
        blob,
        seal,
    }))
}

/// Reads the data of an event from its blob.
pub(crate) async fn read_data<'t>(
    target: impl SqlTarget<'t>,
    db: &DbName,
    blobs: &BlobStore,
    blob: &BlobId,
    (stream, seq): (&StreamId, u64),
) -> Result<Json, StoreError> {
    let damaged = |message: String| StoreError::Damaged {
        message: format!("run {stream}, event {seq}: {message}"),
    };
    let bytes = match blobs.read(target, db, blob).await {
        Ok(bytes) => bytes,
        Err(BlobError::Missing { .. }) => {
            let (stream, blob) = (stream.clone(), blob.to_string());
            return Err(StoreError::MissingBlob { stream, seq, blob });
        }
        Err(error) => return Err(damaged(error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|error| damaged(error.to_string()))?;
    Json::from_text(&text).map_err(|error| damaged(error.to_string()))
}
