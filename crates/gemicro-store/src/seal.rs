//! Checksums of rows, which reveal rows changed on disk when they are read.
//!
//! A seal is the first 8 bytes of a SHA-256. The seal of an event also covers the seal of the event before it, so the
//! events of a stream form a chain. Seals find damage; they do not protect against someone who can write the database.

use gemicro_core::blob::BlobId;
use gemicro_core::run::RunRow;
use gemicro_core::store::StepMark;
use gemicro_event::{ErrorKind, Event, StepKey, StreamId, Timestamp};
use sha2::{Digest, Sha256};

use crate::cost_unknowns;
use crate::sql::SqlValue;

/// Hashes the values of a row into a seal.
pub(crate) struct SealBuilder(Sha256);

impl SealBuilder {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn number(mut self, number: i64) -> Self {
        self.0.update(number.to_le_bytes());
        self
    }

    pub(crate) fn unsigned(self, number: u64) -> Self {
        self.number(number.cast_signed())
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        // The length separates adjacent values.
        let mut seal = self.unsigned(bytes.len() as u64);
        seal.0.update(bytes);
        seal
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn optional_number(self, number: Option<i64>) -> Self {
        match number {
            Some(number) => self.number(1).number(number),
            None => self.number(0),
        }
    }

    pub(crate) fn optional_text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.number(1).text(text),
            None => self.number(0),
        }
    }

    /// A column of [`run_columns`].
    fn column(self, (value, can_be_null): (SqlValue, bool)) -> Self {
        match (value, can_be_null) {
            (SqlValue::Int(number), true) => self.optional_number(number),
            (SqlValue::Int(number), false) => self.number(number.unwrap_or_default()),
            (SqlValue::Text(text), true) => self.optional_text(text.as_deref()),
            (SqlValue::Text(text), false) => self.text(&text.unwrap_or_default()),
            (SqlValue::Bool(truth), _) => self.number(i64::from(truth)),
            (SqlValue::Bytes(_) | SqlValue::Ints(_) | SqlValue::Texts(_), _) => self,
        }
    }

    pub(crate) fn finish(self) -> i64 {
        let hash = self.0.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        i64::from_le_bytes(first)
    }
}

/// The seal of an event whose predecessor has the seal `before`; `None` for the first event, and after an event written
/// before seals existed. The data of an event with a blob is sealed by the blob's name.
pub(crate) fn seal_event(
    before: Option<i64>,
    event: &Event,
    mark: Option<StepMark>,
    blob: Option<&BlobId>,
) -> i64 {
    let update = &event.update;
    let (mark, attempt) = mark_columns(mark);
    SealBuilder::new()
        .optional_number(before)
        .text(event.stream.as_str())
        .unsigned(event.seq)
        .number(i64::from(event.schema_version))
        .text(&update.event_type)
        .text(&update.message)
        .number(update.timestamp.as_millis())
        .optional_text(blob.is_none().then(|| update.data.text()))
        .optional_text(blob.map(BlobId::as_str))
        .optional_text(event.step.as_ref().map(StepKey::as_str))
        .optional_text(event.parent_run.as_ref().map(StreamId::as_str))
        .optional_text(mark)
        .optional_number(attempt)
        .optional_text(event.trace.as_deref())
        .optional_text(extra_text(&event.extra).as_deref())
        .finish()
}

/// The columns of a run's list entry between its stream and its seal, each with whether it can be null.
pub(crate) fn run_columns(row: &RunRow) -> [(SqlValue, bool); 13] {
    [
        (row.flow.as_str().into(), false),
        (row.title.as_str().into(), false),
        (row.status.as_str().into(), false),
        (row.error_kind.map(ErrorKind::as_str).into(), true),
        (row.n_events.into(), false),
        (row.spent.tokens.into(), false),
        (row.spent.micro_usd.into(), false),
        (row.spent.turns.into(), false),
        (row.started_at.as_millis().into(), false),
        (row.updated_at.as_millis().into(), false),
        (row.ended_at.map(Timestamp::as_millis).into(), true),
        (cost_unknowns::write(&row.spent).into(), true),
        (row.part_of_parent.into(), false),
    ]
}

/// The seal of a run's list entry.
pub(crate) fn seal_run(row: &RunRow) -> i64 {
    let seal = SealBuilder::new()
        .text(row.run.as_str())
        .optional_text(row.parent_run.as_ref().map(StreamId::as_str));
    let columns = run_columns(row).into_iter();
    columns.fold(seal, SealBuilder::column).finish()
}

/// The seal of a board line.
pub(crate) fn seal_line(stream_no: i64, (place, seq): (u32, u64), state: &str, shown: &str) -> i64 {
    SealBuilder::new()
        .number(stream_no)
        .number(i64::from(place))
        .unsigned(seq)
        .text(state)
        .text(shown)
        .finish()
}

/// The columns `mark` and `attempt` of an event.
pub(crate) fn mark_columns(mark: Option<StepMark>) -> (Option<&'static str>, Option<i64>) {
    match mark {
        Some(StepMark::Started(attempt)) => (Some("started"), Some(i64::from(attempt))),
        Some(StepMark::Ended(attempt)) => (Some("ended"), Some(i64::from(attempt))),
        None => (None, None),
    }
}

/// Unknown envelope fields as an array of pairs, which keeps order, bytes and duplicate keys.
pub(crate) fn extra_text(extra: &[(String, gemicro_event::Json)]) -> Option<String> {
    if extra.is_empty() {
        return None;
    }
    // Keys are strings and values are JSON, so this cannot fail.
    serde_json::to_string(extra).ok()
}
