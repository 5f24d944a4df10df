//! Connections and pools that run statements.

use futures_util::future::BoxFuture;
use gemicro_event::Timestamp;
use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, PgPool, Postgres, SqlSafeStr, SqliteConnection, SqlitePool};

use super::{Query, SqlRow, query};

#[derive(Debug)]
pub(crate) enum Link {
    Sqlite(SqliteConnection),
    Postgres(PoolConnection<Postgres>),
}

/// A pool that runs each statement on one of its connections.
#[derive(Debug, Clone)]
pub(crate) enum ConnectionPool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// A connection or pool that runs statements.
pub(crate) trait SqlTarget<'t>: Send {
    fn fetch(self, query: Query) -> BoxFuture<'t, Result<Vec<SqlRow>, sqlx::Error>>;

    fn execute(self, query: Query) -> BoxFuture<'t, Result<u64, sqlx::Error>>;
}

impl Link {
    /// Runs several statements without parameters.
    pub(crate) async fn script(&mut self, sql: impl SqlSafeStr + Send) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(link) => link.execute(sql).await.map(drop),
            Self::Postgres(link) => (**link).execute(sql).await.map(drop),
        }
    }

    /// The time for checking leases: on a server its own clock, since those of its clients may differ.
    pub(crate) async fn now(&mut self) -> Result<Timestamp, sqlx::Error> {
        match self {
            Self::Sqlite(_) => Ok(Timestamp::now()),
            Self::Postgres(_) => {
                let clock =
                    query("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now");
                let row = clock.fetch_one(&mut *self).await?;
                super::Column::read(&row, "now").map(Timestamp::from_millis)
            }
        }
    }

    /// Notifies the subscribers of streams in other processes, after the commit. With SQLite they poll instead.
    pub(crate) async fn notify(&mut self, streams: Vec<String>) -> Result<(), sqlx::Error> {
        if let Self::Postgres(_) = self
            && !streams.is_empty()
        {
            let tell = query("SELECT pg_notify('gemicro', stream) FROM unnest($1) AS stream");
            tell.bind(streams).execute(self).await?;
        }
        Ok(())
    }

    /// Starts a transaction that may write.
    pub(crate) async fn begin(&mut self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(_) => self.script("BEGIN IMMEDIATE").await,
            Self::Postgres(_) => self.script("BEGIN").await,
        }
    }

    /// Closes the connection properly.
    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(link) => link.close().await,
            Self::Postgres(link) => link.close().await,
        }
    }
}

impl ConnectionPool {
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

impl<'t> SqlTarget<'t> for &'t mut Link {
    fn fetch(self, query: Query) -> BoxFuture<'t, Result<Vec<SqlRow>, sqlx::Error>> {
        match self {
            Link::Sqlite(link) => sqlite_fetch(link, query),
            Link::Postgres(link) => postgres_fetch(&mut **link, query),
        }
    }

    fn execute(self, query: Query) -> BoxFuture<'t, Result<u64, sqlx::Error>> {
        match self {
            Link::Sqlite(link) => sqlite_execute(link, query),
            Link::Postgres(link) => postgres_execute(&mut **link, query),
        }
    }
}

impl<'t> SqlTarget<'t> for &'t ConnectionPool {
    fn fetch(self, query: Query) -> BoxFuture<'t, Result<Vec<SqlRow>, sqlx::Error>> {
        match self {
            ConnectionPool::Sqlite(pool) => sqlite_fetch(pool, query),
            ConnectionPool::Postgres(pool) => postgres_fetch(pool, query),
        }
    }

    fn execute(self, query: Query) -> BoxFuture<'t, Result<u64, sqlx::Error>> {
        match self {
            ConnectionPool::Sqlite(pool) => sqlite_execute(pool, query),
            ConnectionPool::Postgres(pool) => postgres_execute(pool, query),
        }
    }
}

fn sqlite_fetch<'t>(
    target: impl Executor<'t, Database = sqlx::Sqlite> + 't,
    query: Query,
) -> BoxFuture<'t, Result<Vec<SqlRow>, sqlx::Error>> {
    Box::pin(async move {
        let (sql, arguments) = query.for_sqlite()?;
        let query = sqlx::query_with(AssertSqlSafe(sql), arguments);
        let rows = query.fetch_all(target).await?;
        Ok(rows.into_iter().map(SqlRow::Sqlite).collect())
    })
}

fn sqlite_execute<'t>(
    target: impl Executor<'t, Database = sqlx::Sqlite> + 't,
    query: Query,
) -> BoxFuture<'t, Result<u64, sqlx::Error>> {
    Box::pin(async move {
        let (sql, arguments) = query.for_sqlite()?;
        let query = sqlx::query_with(AssertSqlSafe(sql), arguments);
        Ok(query.execute(target).await?.rows_affected())
    })
}

fn postgres_fetch<'t>(
    target: impl Executor<'t, Database = Postgres> + 't,
    query: Query,
) -> BoxFuture<'t, Result<Vec<SqlRow>, sqlx::Error>> {
    Box::pin(async move {
        let (sql, arguments) = query.for_postgres()?;
        let rows = sqlx::query_with(sql, arguments).fetch_all(target).await?;
        Ok(rows.into_iter().map(SqlRow::Postgres).collect())
    })
}

fn postgres_execute<'t>(
    target: impl Executor<'t, Database = Postgres> + 't,
    query: Query,
) -> BoxFuture<'t, Result<u64, sqlx::Error>> {
    Box::pin(async move {
        let (sql, arguments) = query.for_postgres()?;
        let done = sqlx::query_with(sql, arguments).execute(target).await?;
        Ok(done.rows_affected())
    })
}
