//! A database of either engine that a test can open as often as it likes.

use gemicro_store::DurableStore;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, PgConnection};

use crate::make::{folder, open};
use crate::server::Server;

/// Where a test's stores are.
pub(crate) enum World {
    Sqlite(tempfile::TempDir),
    Postgres(Server),
}

impl World {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(folder())
    }

    pub(crate) fn postgres() -> Self {
        Self::Postgres(Server::start())
    }

    pub(crate) async fn store(&self) -> DurableStore {
        match self {
            Self::Sqlite(folder) => open(&folder.path().join("home")).await,
            Self::Postgres(server) => server.store().await,
        }
    }

    /// Runs statements behind the stores' backs.
    pub(crate) async fn execute(&self, sql: &'static str) {
        match self {
            Self::Sqlite(folder) => {
                let options = SqliteConnectOptions::new().filename(folder.path().join("home/gemicro.db"));
                let mut connection = options.connect().await.unwrap();
                connection.execute(sql).await.unwrap();
                connection.close().await.unwrap();
            }
            Self::Postgres(server) => {
                let mut connection = PgConnection::connect(&server.address()).await.unwrap();
                connection.execute("SET search_path = gemicro").await.unwrap();
                connection.execute(sql).await.unwrap();
                connection.close().await.unwrap();
            }
        }
    }
}
