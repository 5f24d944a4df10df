//! Converts errors of the database and the file system to [`StoreError`]s.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use gemicro_core::store::StoreError;
use gemicro_event::StreamId;

/// The name of a database, for messages.
#[derive(Debug, Clone)]
pub(crate) struct DbName {
    /// The file, or the address without a password.
    name: Arc<str>,
    codes: Codes,
}

/// The kind of error codes of a database.
#[derive(Debug, Clone, Copy)]
enum Codes {
    Sqlite,
    Postgres,
}

impl DbName {
    pub(crate) fn file(path: &Path) -> Self {
        Self {
            name: path.display().to_string().into(),
            codes: Codes::Sqlite,
        }
    }

    pub(crate) fn server(name: &str) -> Self {
        Self {
            name: name.into(),
            codes: Codes::Postgres,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    /// Classifies an error of the driver.
    pub(crate) fn error(&self, error: sqlx::Error) -> StoreError {
        let code = match &error {
            sqlx::Error::Database(database) => database.code().map(|code| code.into_owned()),
            _ => None,
        };
        match self.codes {
            Codes::Sqlite => self.sqlite_error(code.and_then(|code| code.parse().ok()), &error),
            Codes::Postgres => self.postgres_error(code.as_deref(), &error),
        }
    }

    fn sqlite_error(&self, code: Option<i32>, error: &sqlx::Error) -> StoreError {
        let name = &self.name;
        // The low byte is SQLite's primary result code.
        match code.map(|code| code & 0xff) {
            Some(13) => StoreError::Full {
                message: format!("{name} cannot grow; free some space and try again"),
            },
            Some(11 | 26) => self.store_damaged(error),
            Some(5 | 6) => StoreError::Io {
                message: format!("{name} is locked by another process"),
            },
            Some(8) => StoreError::Io {
                message: format!("{name} cannot be written: it is read-only"),
            },
            Some(14) => StoreError::Io {
                message: format!("{name} cannot be opened for writing: it or its folder is read-only"),
            },
            Some(_) | None => StoreError::Io {
                message: format!("{name}: {error}"),
            },
        }
    }

    fn postgres_error(&self, code: Option<&str>, error: &sqlx::Error) -> StoreError {
        let name = &self.name;
        match code {
            Some("53100") => StoreError::Full {
                message: format!("{name} cannot grow; free some space on the server and try again"),
            },
            Some("XX001" | "XX002") => self.store_damaged(error),
            Some(code) if !is_outage(code) => StoreError::Io {
                message: format!("{name}: {error}"),
            },
            None if matches!(error, sqlx::Error::Encode(_) | sqlx::Error::Decode(_)) => StoreError::Io {
                message: format!("{name}: {error}"),
            },
            Some(_) | None => {
                let why = match error {
                    sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) => {
                        return StoreError::Io {
                            message: format!(
                                "{name} does not answer like a PostgreSQL server; check the host and the port"
                            ),
                        };
                    }
                    sqlx::Error::Io(error) => error.to_string(),
                    sqlx::Error::PoolTimedOut => "no connection in time".to_owned(),
                    other => other.to_string(),
                };
                StoreError::Io {
                    message: format!(
                        "{name} does not answer ({why}); see that the server runs and can be reached, then try again"
                    ),
                }
            }
        }
    }

    /// The data cannot be read as a store; it is left unchanged.
    pub(crate) fn store_damaged(&self, what: impl fmt::Display) -> StoreError {
        let name = &self.name;
        let message = match self.codes {
            // Move the blobs too: next to a new database, they would look like the rest of an emptied one.
            Codes::Sqlite => {
                let folder = Path::new(name.as_ref()).parent().unwrap_or(Path::new("."));
                format!(
                    "{name}: {what}; it was not changed: restore a backup, or move the store away to start fresh: \
                     cd '{}' && mkdir damaged && mv gemicro.db* blobs damaged",
                    folder.display()
                )
            }
            Codes::Postgres => {
                format!("{name}: {what}; it was not changed: use another database, or restore a backup")
            }
        };
        StoreError::Damaged { message }
    }

    /// Blobs that events refer to are missing or were changed.
    pub(crate) fn blob_damaged(&self, what: impl fmt::Display) -> StoreError {
        let name = &self.name;
        StoreError::Damaged {
            message: format!("{name}: {what}; restore a copy of the store, or delete the run that needs it"),
        }
    }

    /// A list was changed on disk; it can be rebuilt from the events, which have their own checks.
    pub(crate) fn projection_damaged(&self, what: impl fmt::Display) -> StoreError {
        let name = &self.name;
        StoreError::Damaged {
            message: format!("{name}: {what}; `gemicro store rebuild` makes it again from the events"),
        }
    }

    /// An event was changed on disk, or is missing.
    pub(crate) fn event_damaged(&self, stream: &StreamId, seq: u64, what: impl fmt::Display) -> StoreError {
        let name = &self.name;
        StoreError::Damaged {
            message: format!(
                "{name}: event {seq} of run {stream} {what}; nothing was changed: `gemicro store check` lists all \
                 damage. Restore a copy, or delete the run with `gemicro prune --run {stream}`"
            ),
        }
    }

    /// The file is no longer the one that was opened.
    pub(crate) fn file_removed(&self, path: &Path) -> StoreError {
        StoreError::Io {
            message: format!(
                "{} was deleted or replaced while gemicro was using it, so nothing more can be saved in it; put it \
                 back if you moved it, or start gemicro again to begin a new store",
                path.display()
            ),
        }
    }

    /// A row is not as this program writes it.
    pub(crate) fn odd_row(&self, what: impl fmt::Display) -> StoreError {
        self.store_damaged(format_args!("a row cannot be read ({what})"))
    }
}

/// Whether an SQLSTATE means that the server is or will be unavailable: connection exceptions, a transaction that was
/// idle for too long, shutdowns, too many connections.
fn is_outage(code: &str) -> bool {
    code.starts_with("08") || matches!(code, "25P03" | "57P01" | "57P02" | "57P03" | "53300")
}

/// Whether the connection is lost, so that the result of the last statement is unknown.
pub(crate) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(database) => database.code().is_some_and(|code| is_outage(&code)),
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

/// Whether a transaction failed only because of a concurrent one: a deadlock, a serialization failure, or an insert of
/// the same row.
pub(crate) fn is_collision(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(database) => {
            matches!(database.code().as_deref(), Some("40P01" | "40001" | "23505"))
        }
        _ => false,
    }
}

/// An error of the file system, with the path it is about.
pub(crate) fn io_error(path: &Path, error: &io::Error) -> StoreError {
    let message = format!("{}: {error}", path.display());
    if is_full(error) {
        StoreError::Full { message }
    } else {
        StoreError::Io { message }
    }
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}
