//! Columns read into our types.

use gemicro_core::run::RunRow;
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{Charge, RunStatus, StreamId, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row, Sqlite, Type};

use crate::error::DbFile;

/// A row together with the file that messages about it name.
pub(crate) struct Columns<'r> {
    row: &'r SqliteRow,
    db: &'r DbFile,
}

impl<'r> Columns<'r> {
    pub(crate) fn new(row: &'r SqliteRow, db: &'r DbFile) -> Self {
        Self { row, db }
    }

    pub(crate) fn get<T: Decode<'r, Sqlite> + Type<Sqlite>>(
        &self,
        name: &'static str,
    ) -> Result<T, StoreError> {
        self.row.try_get(name).map_err(|error| self.db.odd_row(error))
    }

    /// A number that is never negative; amounts use all 64 bits.
    pub(crate) fn number(&self, name: &'static str) -> Result<u64, StoreError> {
        self.get::<i64>(name).map(i64::cast_unsigned)
    }

    pub(crate) fn time(&self, name: &'static str) -> Result<Timestamp, StoreError> {
        self.get(name).map(Timestamp::from_millis)
    }

    pub(crate) fn optional_time(&self, name: &'static str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.get::<Option<i64>>(name)?.map(Timestamp::from_millis))
    }

    pub(crate) fn stream(&self, name: &'static str) -> Result<StreamId, StoreError> {
        StreamId::new(self.get::<String>(name)?).map_err(|error| self.db.odd_row(error))
    }

    pub(crate) fn optional_stream(&self, name: &'static str) -> Result<Option<StreamId>, StoreError> {
        let text = self.get::<Option<String>>(name)?;
        text.map(StreamId::new)
            .transpose()
            .map_err(|error| self.db.odd_row(error))
    }

    pub(crate) fn kind(&self, name: &'static str) -> Result<StreamKind, StoreError> {
        match self.get::<&str>(name)? {
            "run" => Ok(StreamKind::Run),
            "conversation" => Ok(StreamKind::Conversation),
            other => Err(self.db.odd_row(format_args!("stream of kind {other}"))),
        }
    }

    /// The line of a run, from the columns of `runs` and of its stream.
    pub(crate) fn run_row(&self) -> Result<RunRow, StoreError> {
        let error_kind = self.get::<Option<&str>>("error_kind")?;
        Ok(RunRow {
            run: self.stream("id")?,
            flow: self.get("flow")?,
            title: self.get("title")?,
            status: self.status("status")?,
            error_kind: error_kind
                .map(str::parse)
                .transpose()
                .map_err(|error| self.db.odd_row(error))?,
            parent_run: self.optional_stream("parent_run")?,
            n_events: self.number("n_events")?,
            spent: Charge {
                tokens: self.number("tokens")?,
                micro_usd: self.number("micro_usd")?,
                turns: self.number("turns")?,
            },
            started_at: self.time("started_at")?,
            updated_at: self.time("updated_at")?,
            ended_at: self.optional_time("ended_at")?,
        })
    }

    fn status(&self, name: &'static str) -> Result<RunStatus, StoreError> {
        const ALL: [RunStatus; 7] = [
            RunStatus::Running,
            RunStatus::Parked,
            RunStatus::Suspended,
            RunStatus::Completed,
            RunStatus::Failed,
            RunStatus::Cancelled,
            RunStatus::Interrupted,
        ];
        let text = self.get::<&str>(name)?;
        let found = ALL.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| self.db.odd_row(format_args!("status {text}")))
    }
}
