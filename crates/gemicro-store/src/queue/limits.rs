//! Limits on the load that all workers together put on a provider.

use gemicro_core::queue::ProviderLimit;
use gemicro_core::store::StoreError;
use gemicro_event::Timestamp;

use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{Link, SqlRow, query};
use crate::store::DurableStore;
use crate::writer::JobScope;

/// The period of a rate limit, in milliseconds.
const MINUTE_MS: i64 = 60_000;

/// The number of steps of a provider that may be started now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProviderRoom {
    /// Name of the provider; empty for steps without one.
    pub(super) provider: String,
    /// Number of steps; `i64::MAX` if the provider has no limit.
    pub(super) n_steps: i64,
    /// Whether starts must be recorded for a rate limit.
    is_rated: bool,
}

impl DurableStore {
    pub(super) async fn write_limit(&self, limit: ProviderLimit) -> Result<(), StoreError> {
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move {
                query(
                    "INSERT INTO provider_limits (provider, max_running, per_minute) VALUES ($1, $2, $3) \
                     ON CONFLICT (provider) DO UPDATE SET max_running = excluded.max_running, \
                     per_minute = excluded.per_minute",
                )
                .bind(limit.provider)
                .bind(limit.max_running.map(i64::from))
                .bind(limit.per_minute.map(i64::from))
                .execute(link)
                .await
                .map(drop)
                .map_err(|error| db.error(error))
            })
        })
        .await
    }

    pub(super) async fn read_limits(&self) -> Result<Vec<ProviderLimit>, StoreError> {
        let db = &self.inner.db;
        let set = query(
            "SELECT * FROM provider_limits WHERE max_running IS NOT NULL OR per_minute IS NOT NULL \
             ORDER BY provider",
        );
        let rows = set.fetch_all(&self.inner.readers).await;
        let rows = rows.map_err(|error| db.error(error))?;
        rows.iter().map(|row| read_limit(row, db)).collect()
    }
}

fn read_limit(row: &SqlRow, db: &DbName) -> Result<ProviderLimit, StoreError> {
    let columns = Columns::new(row, db);
    Ok(ProviderLimit {
        provider: columns.get("provider")?,
        max_running: columns.get("max_running")?,
        per_minute: columns.get("per_minute")?,
    })
}

/// The capacity left for every provider. Rows of providers with a limit stay locked until the transaction ends, so that
/// no other process starts their steps meanwhile.
pub(super) async fn rooms(
    link: &mut Link,
    db: &DbName,
    now: Timestamp,
) -> Result<Vec<ProviderRoom>, StoreError> {
    let fail = |error| db.error(error);
    let open = query(
        "SELECT provider FROM provider_limits WHERE max_running IS NULL AND per_minute IS NULL ORDER BY provider",
    );
    let mut rooms = Vec::new();
    for row in &open.fetch_all(&mut *link).await.map_err(fail)? {
        rooms.push(ProviderRoom {
            provider: Columns::new(row, db).get("provider")?,
            n_steps: i64::MAX,
            is_rated: false,
        });
    }
    let limited = query(
        "SELECT * FROM provider_limits WHERE max_running IS NOT NULL OR per_minute IS NOT NULL \
         ORDER BY provider FOR UPDATE",
    );
    for row in &limited.fetch_all(&mut *link).await.map_err(fail)? {
        let limit = read_limit(row, db)?;
        // Count after locking, to see the steps that others have started.
        let in_use = query(
            "SELECT (SELECT count(*) FROM queue WHERE provider = $1 AND status = 'running') AS n_running, \
             (SELECT CAST(coalesce(sum(n_steps), 0) AS BIGINT) FROM provider_starts \
              WHERE provider = $1 AND at_ms > $2) AS n_started",
        );
        let in_use = in_use
            .bind(limit.provider.as_str())
            .bind(now.as_millis() - MINUTE_MS);
        let row = in_use.fetch_one(&mut *link).await.map_err(fail)?;
        let columns = Columns::new(&row, db);
        let left = |limit: Option<u32>, used: i64| limit.map_or(i64::MAX, |limit| i64::from(limit) - used);
        let running = left(limit.max_running, columns.get("n_running")?);
        let rate = left(limit.per_minute, columns.get("n_started")?);
        rooms.push(ProviderRoom {
            provider: limit.provider,
            n_steps: running.min(rate).max(0),
            is_rated: limit.per_minute.is_some(),
        });
    }
    Ok(rooms)
}

/// Records started steps, and deletes records older than a minute.
pub(super) async fn note_starts(
    link: &mut Link,
    room: &ProviderRoom,
    n_steps: u64,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    if !room.is_rated || n_steps == 0 {
        return Ok(());
    }
    query("DELETE FROM provider_starts WHERE provider = $1 AND at_ms <= $2")
        .bind(room.provider.as_str())
        .bind(now.as_millis() - MINUTE_MS)
        .execute(&mut *link)
        .await?;
    query("INSERT INTO provider_starts (provider, at_ms, n_steps) VALUES ($1, $2, $3)")
        .bind(room.provider.as_str())
        .bind(now.as_millis())
        .bind(n_steps)
        .execute(link)
        .await
        .map(drop)
}
