//! Connects to a PostgreSQL server.

use std::str::FromStr;

use gemicro_core::store::StoreError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection as _, Executor};

use super::{ListeningServer, schema};
use crate::blob_store::BlobStore;
use crate::error::DbName;
use crate::sql::{ConnectionPool, Link};
use crate::store::{DurableStore, StoreEngine};
use crate::store_options::StoreOptions;
use crate::writer::Connection;

/// Maximum number of connections of one process: one writes, one listens, the others read and run transactions.
const N_CONNECTIONS: u32 = 8;

impl DurableStore {
    /// Opens the store in a PostgreSQL database, creating its tables if there are none. The address looks like
    /// `postgres://user@host/database`.
    ///
    /// # Errors
    /// When the server cannot be reached, or its tables are damaged, newer or of another program.
    pub async fn connect(address: &str) -> Result<Self, StoreError> {
        Self::connect_with(address, &StoreOptions::default()).await
    }

    /// Like [`DurableStore::connect`], with options; `max_bytes` is ignored on a server.
    ///
    /// # Errors
    /// Those of [`DurableStore::connect`].
    pub async fn connect_with(address: &str, options: &StoreOptions) -> Result<Self, StoreError> {
        // The error must not repeat the address, which may contain a password.
        let parsed = PgConnectOptions::from_str(address).map_err(|error| StoreError::Io {
            message: format!(
                "the address of the store cannot be read ({error}); it looks like postgres://user@host/database"
            ),
        })?;
        let db = DbName::server(&name(&parsed));
        let parsed = parsed.application_name("gemicro").disable_statement_logging();
        try_once(&parsed, options)
            .await
            .map_err(|error| db.error(error))?;
        let pool = PgPoolOptions::new()
            .max_connections(N_CONNECTIONS)
            .acquire_timeout(options.busy_timeout)
            .after_connect(|connection, _| Box::pin(set_up(connection)))
            .connect_lazy_with(parsed);
        let first = pool.acquire().await.map_err(|error| db.error(error))?;
        schema::prepare(&mut Link::Postgres(first), &db).await?;
        let connection = Connection::Postgres {
            pool: pool.clone(),
            link: None,
        };
        let readers = ConnectionPool::Postgres(pool.clone());
        let engine = StoreEngine::Postgres(ListeningServer::new(pool));
        Ok(Self::start(engine, db, readers, connection, BlobStore::Table))
    }
}

/// Connects once. A pool would keep retrying a refused connection until its timeout.
async fn try_once(parsed: &PgConnectOptions, options: &StoreOptions) -> Result<(), sqlx::Error> {
    let connected = tokio::time::timeout(options.busy_timeout, parsed.connect()).await;
    connected.unwrap_or(Err(sqlx::Error::PoolTimedOut))?.close().await
}

/// Sets up a connection: our schema comes first; a commit is on the server's disk when it returns, whatever the
/// server's settings; and a process stopped in the middle of a transaction does not block others for long.
async fn set_up(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let settings = "SET search_path = gemicro; SET idle_in_transaction_session_timeout = '20s'; \
        SET lock_timeout = '40s'; \
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
    connection.execute(settings).await.map(drop)
}

/// The address without a password.
fn name(options: &PgConnectOptions) -> String {
    let (user, database) = (
        options.get_username(),
        options.get_database().unwrap_or(options.get_username()),
    );
    match options.get_socket() {
        Some(socket) => format!("postgres:///{database}?user={user}&host={}", socket.display()),
        None => format!(
            "postgres://{user}@{}:{}/{database}",
            options.get_host(),
            options.get_port()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{FromStr, PgConnectOptions, name};

    #[test]
    fn no_message_holds_a_password() {
        for (address, expected) in [
            (
                "postgres://me:secret@db.example/work",
                "postgres://me@db.example:5432/work",
            ),
            (
                "postgres:///work?user=me&password=secret&host=/run/pg",
                "postgres:///work?user=me&host=/run/pg",
            ),
        ] {
            assert_eq!(
                name(&PgConnectOptions::from_str(address).unwrap().port(5432)),
                expected
            );
        }
    }
}
