//! Reads columns as Rust types.

use gemicro_core::queue::QueueState;
use gemicro_core::run::RunRow;
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{Charge, RunStatus, StreamId, Timestamp};

use crate::cost_unknowns;
use crate::error::DbName;
use crate::seal::seal_run;
use crate::sql::{Column, SqlRow};

/// A row, and the name of its database for messages.
pub(crate) struct Columns<'r> {
    row: &'r SqlRow,
    db: &'r DbName,
}

impl<'r> Columns<'r> {
    pub(crate) fn new(row: &'r SqlRow, db: &'r DbName) -> Self {
        Self { row, db }
    }

    pub(crate) fn get<T: Column>(&self, name: &'static str) -> Result<T, StoreError> {
        T::read(self.row, name).map_err(|error| self.db.odd_row(error))
    }

    /// A number that is never negative; uses all 64 bits.
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
        match self.get::<String>(name)?.as_str() {
            "run" => Ok(StreamKind::Run),
            "conversation" => Ok(StreamKind::Conversation),
            "steps" => Ok(StreamKind::Steps),
            "memory" => Ok(StreamKind::Memory),
            other => Err(self.db.odd_row(format_args!("stream of kind {other}"))),
        }
    }

    pub(crate) fn queue_state(&self, name: &'static str) -> Result<QueueState, StoreError> {
        let text = self.get::<String>(name)?;
        let found = QueueState::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| self.db.odd_row(format_args!("a step that is {text}")))
    }

    /// The list entry of a run, from the columns of `runs` and of its stream.
    pub(crate) fn run_row(&self) -> Result<RunRow, StoreError> {
        let error_kind = self.get::<Option<String>>("error_kind")?;
        let row = RunRow {
            run: self.stream("id")?,
            flow: self.get("flow")?,
            title: self.get("title")?,
            status: self.status("status")?,
            error_kind: error_kind
                .map(|kind| kind.parse())
                .transpose()
                .map_err(|error| self.db.odd_row(error))?,
            parent_run: self.optional_stream("parent_run")?,
            part_of_parent: self.get("part_of_parent")?,
            n_events: self.number("n_events")?,
            spent: Charge {
                tokens: self.number("tokens")?,
                micro_usd: self.number("micro_usd")?,
                turns: self.number("turns")?,
                ..cost_unknowns::read(self.get::<Option<String>>("cost_unknowns")?.as_deref())
            },
            started_at: self.time("started_at")?,
            updated_at: self.time("updated_at")?,
            ended_at: self.optional_time("ended_at")?,
        };
        let kept = self.get::<Option<i64>>("seal")?;
        if kept.is_some_and(|kept| kept != seal_run(&row)) {
            let what = format_args!("the list entry of run {} was changed on the disk", row.run);
            return Err(self.db.projection_damaged(what));
        }
        Ok(row)
    }

    fn status(&self, name: &'static str) -> Result<RunStatus, StoreError> {
        let text = self.get::<String>(name)?;
        let read = serde_json::from_value(text.as_str().into());
        read.map_err(|_| self.db.odd_row(format_args!("status {text}")))
    }
}
