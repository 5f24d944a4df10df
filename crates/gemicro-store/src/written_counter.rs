//! Counts all events ever written, in the database and in a small file next to it, to detect lost events.
//!
//! If SQLite's write-ahead log is deleted after a crash, or the database is replaced by an older copy, the rest is an
//! intact database with fewer events. The file next to it still has the number. It is written after each commit and
//! never synced: it is never larger than the real number, and may be too small after a power failure. So it never
//! raises a false alarm, and it misses only a loss that coincides with a power failure.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use gemicro_core::store::StoreError;

use crate::columns::Columns;
use crate::error::{DbName, io_error};
use crate::home::{Home, open_private};
use crate::open::open_writer;
use crate::seal::SealBuilder;
use crate::sql::{ColumnKind, Link, RowStatement, Values, query};
use crate::{DurableStore, StoreOptions};

/// Writes the number to the database.
pub(crate) const WRITTEN: RowStatement = RowStatement {
    before: "INSERT INTO written (no, store_id, n_events)",
    columns: &[ColumnKind::Int, ColumnKind::Text, ColumnKind::Int],
    after: "ON CONFLICT (no) DO UPDATE SET n_events = excluded.n_events",
};

/// Size of the file: the store id (16 hex digits), the number (20 digits) and the seal (16 hex digits), separated by
/// spaces, and a line break.
const FILE_BYTES: usize = 16 + 1 + 20 + 1 + 16 + 1;

/// The number of events in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenTotal {
    /// Id of the database; a new one in the same place has another.
    store_id: Arc<str>,
    n_events: u64,
}

/// The number as known to the writer of this process.
#[derive(Debug)]
pub(crate) struct WrittenCounter {
    file: File,
    store_id: Arc<str>,
    /// `None` if another process may have written.
    n_events: Option<u64>,
}

impl DurableStore {
    /// Opens the store of a state folder although its last events are missing, and accepts the loss; returns the
    /// number of lost events.
    ///
    /// # Errors
    /// Those of [`DurableStore::open`], except for the missing events.
    pub async fn accept_loss(home: &Path) -> Result<u64, StoreError> {
        let home = Home::prepare(home)?;
        let db = DbName::file(&home.db());
        let mut link = open_writer(&home, &db, &StoreOptions::default()).await?;
        let n_lost = WrittenCounter::accept_loss(&home, &mut link, &db).await?;
        link.close().await.map_err(|error| db.error(error))?;
        Ok(n_lost)
    }
}

impl WrittenTotal {
    /// The columns of [`WRITTEN`].
    pub(crate) fn values(&self, values: &mut Values) {
        values.value(1_i64).value(&*self.store_id).value(self.n_events);
    }

    fn text(&self) -> String {
        let seal = SealBuilder::new().text(&self.store_id).unsigned(self.n_events);
        format!("{} {:020} {:016x}\n", self.store_id, self.n_events, seal.finish())
    }

    /// Parses the file; `None` for anything that [`text`](Self::text) did not write.
    fn read(file: &File) -> Option<Self> {
        let mut bytes = [0; FILE_BYTES];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let mut words = text.split_whitespace();
        let total = Self {
            store_id: words.next()?.into(),
            n_events: words.next()?.parse().ok()?,
        };
        (total.text() == text).then_some(total)
    }
}

impl WrittenCounter {
    /// Starts counting, after comparing the two numbers.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the database has fewer events than were written.
    pub(crate) async fn open(home: &Home, link: &mut Link, db: &DbName) -> Result<Self, StoreError> {
        let (counter, n_lost) = Self::compare(home, link, db).await?;
        match n_lost {
            0 => Ok(counter),
            n_lost => Err(StoreError::Damaged {
                message: format!(
                    "{}: the last {n_lost} events that were written are missing: its write-ahead log was deleted, or the \
                     file was replaced by an older copy; put the log or the newer copy back, or give these events up \
                     with `gemicro store accept-loss`",
                    db.as_str()
                ),
            }),
        }
    }

    /// Accepts the number in the database; returns the number of lost events.
    pub(crate) async fn accept_loss(home: &Home, link: &mut Link, db: &DbName) -> Result<u64, StoreError> {
        let (counter, n_lost) = Self::compare(home, link, db).await?;
        if n_lost > 0 {
            let total = counter.total(counter.n_events.unwrap_or_default());
            counter
                .write(&total)
                .map_err(|error| io_error(&home.written_counter(), &error))?;
        }
        Ok(n_lost)
    }

    /// Reads the file before the database: others may be writing, and the file must not appear newer.
    async fn compare(home: &Home, link: &mut Link, db: &DbName) -> Result<(Self, u64), StoreError> {
        let path = home.written_counter();
        let file = open_private(&path, OpenOptions::new().read(true).write(true).create(true));
        let file = file.map_err(|error| io_error(&path, &error))?;
        let beside = WrittenTotal::read(&file);
        let inside = read_total(link, db).await?;
        let counter = Self {
            file,
            store_id: Arc::clone(&inside.store_id),
            n_events: Some(inside.n_events),
        };
        let n_lost = match beside {
            Some(beside) if beside.store_id == inside.store_id => {
                beside.n_events.saturating_sub(inside.n_events)
            }
            Some(_) | None => {
                counter.write(&inside).map_err(|error| io_error(&path, &error))?;
                0
            }
        };
        Ok((counter, n_lost))
    }

    /// The total with the new events, inside a write transaction.
    pub(crate) async fn add(
        &mut self,
        link: &mut Link,
        db: &DbName,
        n_new: usize,
    ) -> Result<WrittenTotal, StoreError> {
        let n_events = match self.n_events {
            Some(n_events) => n_events,
            None => read_total(link, db).await?.n_events,
        };
        Ok(self.total(n_events + n_new as u64))
    }

    /// Records that the transaction with this total was committed.
    pub(crate) fn note_commit(&mut self, total: &WrittenTotal) {
        self.n_events = Some(total.n_events);
        // Another process may have been faster.
        let is_newer =
            |beside: &WrittenTotal| beside.store_id == total.store_id && beside.n_events >= total.n_events;
        if WrittenTotal::read(&self.file).as_ref().is_some_and(is_newer) {
            return;
        }
        if let Err(error) = self.write(total) {
            tracing::debug!(%error, "the number of written events");
        }
    }

    /// Invalidates the number, because others may have written.
    pub(crate) fn forget(&mut self) {
        self.n_events = None;
    }

    fn total(&self, n_events: u64) -> WrittenTotal {
        WrittenTotal {
            store_id: Arc::clone(&self.store_id),
            n_events,
        }
    }

    fn write(&self, total: &WrittenTotal) -> std::io::Result<()> {
        self.file.write_all_at(total.text().as_bytes(), 0)
    }
}

async fn read_total(link: &mut Link, db: &DbName) -> Result<WrittenTotal, StoreError> {
    let total = query("SELECT store_id, n_events FROM written WHERE no = 1");
    let row = total.fetch_one(link).await.map_err(|error| db.error(error))?;
    let columns = Columns::new(&row, db);
    Ok(WrittenTotal {
        store_id: columns.get::<String>("store_id")?.into(),
        n_events: columns.number("n_events")?,
    })
}
