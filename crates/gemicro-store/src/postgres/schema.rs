//! Checks, creates and migrates the tables.

use gemicro_core::store::StoreError;

use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{Link, query};

/// One migration script per format, in order; format numbers start at 1.
const MIGRATIONS: [&str; 3] = [
    include_str!("../../migrations/postgres/0001_store.sql"),
    include_str!("../../migrations/postgres/0002_seals.sql"),
    include_str!("../../migrations/postgres/0003_costs.sql"),
];

/// The format that this program writes.
pub(crate) const FORMAT: i64 = MIGRATIONS.len().cast_signed() as i64;

/// Creates the tables, or checks the existing ones.
pub(super) async fn prepare(link: &mut Link, db: &DbName) -> Result<(), StoreError> {
    if read_format(link, db).await? == FORMAT {
        return Ok(());
    }
    link.begin().await.map_err(|error| db.error(error))?;
    match bring_up_to_date(link, db).await {
        Ok(()) => link.script("COMMIT").await.map_err(|error| db.error(error)),
        Err(error) => {
            link.script("ROLLBACK").await.ok();
            Err(error)
        }
    }
}

/// Migrates under a lock, because several processes may start at once. The lock number is "form".
async fn bring_up_to_date(link: &mut Link, db: &DbName) -> Result<(), StoreError> {
    let fail = |error| db.error(error);
    let lock = query("SELECT pg_advisory_xact_lock(1718579821)");
    lock.execute(&mut *link).await.map_err(fail)?;
    // Another process may have been faster.
    let found = read_format(link, db).await?;
    for script in MIGRATIONS
        .into_iter()
        .skip(usize::try_from(found).unwrap_or_default())
    {
        link.script(script).await.map_err(fail)?;
    }
    let set = "DELETE FROM gemicro.format; INSERT INTO gemicro.format (version) VALUES ";
    let set = sqlx::AssertSqlSafe(format!("{set}({FORMAT})"));
    link.script(set).await.map_err(fail)
}

/// The format of the tables; 0 if there are none.
async fn read_format(link: &mut Link, db: &DbName) -> Result<i64, StoreError> {
    let fail = |error| db.error(error);
    let look = query(
        "SELECT current_setting('server_encoding') AS encoding, \
         to_regclass('gemicro.format') IS NOT NULL AS has_format, \
         (SELECT count(*) FROM pg_tables WHERE schemaname = 'gemicro') AS n_tables",
    );
    let row = look.fetch_one(&mut *link).await.map_err(fail)?;
    let columns = Columns::new(&row, db);
    let encoding = columns.get::<String>("encoding")?;
    if encoding != "UTF8" {
        return Err(StoreError::Io {
            message: format!(
                "{}: the database is encoded as {encoding}; make one with `createdb --encoding=UTF8 \
                 --template=template0` and name that",
                db.as_str()
            ),
        });
    }
    if !columns.get::<bool>("has_format")? {
        return match columns.get::<i64>("n_tables")? {
            0 => Ok(0),
            _ => Err(db.store_damaged("its schema `gemicro` belongs to another program")),
        };
    }
    let version = query("SELECT coalesce(max(version), 0) AS version FROM gemicro.format");
    let row = version.fetch_one(link).await.map_err(fail)?;
    match Columns::new(&row, db).get("version")? {
        found if found > FORMAT => Err(StoreError::NewerFormat { found, known: FORMAT }),
        found => Ok(found),
    }
}
