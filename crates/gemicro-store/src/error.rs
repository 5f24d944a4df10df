//! What the database and the file system say, in the words of the port.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemicro_core::store::StoreError;

/// The database file; every message about it names it.
#[derive(Debug, Clone)]
pub(crate) struct DbFile(Arc<Path>);

impl DbFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Sorts an error of the driver by what it means for the user.
    pub(crate) fn error(&self, error: sqlx::Error) -> StoreError {
        let code = match &error {
            sqlx::Error::Database(database) => database.code().and_then(|code| code.parse::<i32>().ok()),
            _ => None,
        };
        let path = self.0.display();
        // The low byte is SQLite's primary result code.
        match code.map(|code| code & 0xff) {
            Some(13) => StoreError::Full {
                message: format!("{path} cannot grow; free some space and go on"),
            },
            Some(11 | 26) => self.damaged(&error),
            Some(5 | 6) => StoreError::Io {
                message: format!("{path} is locked by another process"),
            },
            Some(8) => StoreError::Io {
                message: format!("{path} cannot be written: it is read-only"),
            },
            Some(_) | None => StoreError::Io {
                message: format!("{path}: {error}"),
            },
        }
    }

    /// The file cannot be read as a store; it is left as it is.
    pub(crate) fn damaged(&self, what: impl fmt::Display) -> StoreError {
        let path = self.0.display();
        StoreError::Damaged {
            message: format!(
                "{path}: {what}; it was left as it is: move it away to start anew, or restore a copy"
            ),
        }
    }

    /// A row does not have the shape this program writes.
    pub(crate) fn odd_row(&self, what: impl fmt::Display) -> StoreError {
        self.damaged(format_args!("a row cannot be read ({what})"))
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
