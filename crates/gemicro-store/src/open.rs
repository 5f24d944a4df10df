//! Opens the SQLite database: checks its format and migrates an older one.
//!
//! A file of another program, a damaged or a newer one is refused before anything is written to it.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use gemicro_core::store::StoreError;
use rustix::fs::FlockOperation;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions};

use crate::blob_files::BlobFiles;
use crate::blob_store::BlobStore;
use crate::columns::Columns;
use crate::dead_letters;
use crate::error::{DbName, io_error};
use crate::home::{Home, open_private};
use crate::sql::{Link, query};

/// "gemi" in the file header, which marks a gemicro store.
const APPLICATION_ID: i64 = 0x6765_6d69;

/// One migration script per format, in order; format numbers start at 1.
const MIGRATIONS: [&str; 5] = [
    include_str!("../migrations/sqlite/0001_journal.sql"),
    include_str!("../migrations/sqlite/0002_dead_letters.sql"),
    include_str!("../migrations/sqlite/0003_queue.sql"),
    include_str!("../migrations/sqlite/0004_seals.sql"),
    include_str!("../migrations/sqlite/0005_costs.sql"),
];

/// The format that introduced the dead-letter list.
const WITH_DEAD_LETTERS: usize = 2;

/// The format that this program writes.
pub(crate) const FORMAT: i64 = MIGRATIONS.len().cast_signed() as i64;

/// Number of read connections; more would not help on few cores.
const N_READERS: u32 = 4;

/// Number of rows that a reader thread may be ahead, because every wait costs a thread switch.
const ROW_BUFFER: usize = 1024;

/// Opens the only write connection.
pub(crate) async fn open_writer(
    home: &Home,
    db: &DbName,
    options: &crate::StoreOptions,
) -> Result<Link, StoreError> {
    if home.was_emptied()? {
        return Err(db.store_damaged("the database file is empty, but the files beside it are not"));
    }
    let connection = connect_options(home, options)
        // Overwrite deleted rows, so that erased data is really gone.
        .pragma("secure_delete", "ON")
        .pragma("wal_autocheckpoint", "2000")
        .connect()
        .await
        .map_err(|error| db.error(error))?;
    let mut link = Link::Sqlite(connection);
    if read_format(&mut link, db).await? < FORMAT {
        bring_up_to_date(home, &mut link, db).await?;
    }
    // The newest rows are at the edges of their trees, so a truncated file fails here.
    let probe = query("SELECT (SELECT max(no) FROM streams), (SELECT max(rowid) FROM events)");
    probe
        .fetch_one(&mut link)
        .await
        .map_err(|error| db.error(error))?;
    if let Some(max_bytes) = options.max_bytes {
        let pragma = format!("PRAGMA max_page_count = {}", (max_bytes / 4096).max(1));
        link.script(AssertSqlSafe(pragma))
            .await
            .map_err(|error| db.error(error))?;
    }
    Ok(link)
}

/// Read connections, opened when first needed.
pub(crate) fn open_readers(home: &Home, options: &crate::StoreOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(N_READERS)
        .test_before_acquire(false)
        .connect_lazy_with(
            connect_options(home, options)
                .read_only(true)
                .row_buffer_size(ROW_BUFFER),
        )
}

fn connect_options(home: &Home, options: &crate::StoreOptions) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(home.db())
        .create_if_missing(false)
        .busy_timeout(options.busy_timeout)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .disable_statement_logging()
}

/// The format of the file; 0 for a new one.
async fn read_format(link: &mut Link, db: &DbName) -> Result<i64, StoreError> {
    let header = query(
        "SELECT (SELECT application_id FROM pragma_application_id) AS application, \
         (SELECT user_version FROM pragma_user_version) AS version, \
         (SELECT count(*) FROM sqlite_schema) AS n_things",
    );
    let row = header.fetch_one(link).await.map_err(|error| db.error(error))?;
    let columns = Columns::new(&row, db);
    let column = |name| columns.get::<i64>(name);
    match (column("application")?, column("version")?, column("n_things")?) {
        (APPLICATION_ID, found, _) if found > FORMAT => Err(StoreError::NewerFormat { found, known: FORMAT }),
        (APPLICATION_ID, found, _) if found > 0 => Ok(found),
        (0, 0, 0) => Ok(0),
        (_, _, _) => Err(db.store_damaged("it is a database of another program")),
    }
}

async fn bring_up_to_date(home: &Home, link: &mut Link, db: &DbName) -> Result<(), StoreError> {
    let _lock = lock_format(home.format_lock().as_path()).await?;
    // Another process may have been faster.
    let format = read_format(link, db).await?;
    if format == 0 {
        // Both are stored in the file; neither can be set inside a transaction.
        let pragmas = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL";
        link.script(pragmas).await.map_err(|error| db.error(error))?;
    }
    link.begin().await.map_err(|error| db.error(error))?;
    let migrated = migrate(home, link, db, format).await;
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = link.script(end).await.map_err(|error| db.error(error));
    migrated.and(ended)?;
    // From here on the database file itself has its tables, even if its write-ahead log is lost.
    let checkpoint = link.script("PRAGMA wal_checkpoint(TRUNCATE)").await;
    checkpoint.map_err(|error| db.error(error))
}

async fn migrate(home: &Home, link: &mut Link, db: &DbName, format: i64) -> Result<(), StoreError> {
    let done = usize::try_from(format).unwrap_or_default();
    for script in MIGRATIONS.into_iter().skip(done) {
        link.script(script).await.map_err(|error| db.error(error))?;
    }
    if done < WITH_DEAD_LETTERS {
        let blobs = BlobStore::Files(BlobFiles::new(home.blobs()));
        dead_letters::fill(link, db, &blobs).await?;
    }
    let header = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}");
    link.script(AssertSqlSafe(header))
        .await
        .map_err(|error| db.error(error))
}

/// Waits for other processes that are creating or migrating the same database.
async fn lock_format(path: &Path) -> Result<std::fs::File, StoreError> {
    let file = open_private(path, OpenOptions::new().write(true).create(true))
        .map_err(|error| io_error(path, &error))?;
    for _ in 0..200 {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(error) => return Err(io_error(path, &error.into())),
        }
    }
    Err(StoreError::Io {
        message: format!(
            "{}: another process has been changing the store for 10 s",
            path.display()
        ),
    })
}
