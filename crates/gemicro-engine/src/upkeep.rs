//! Upkeep of what the engine keeps beside the store.

use std::fs;
use std::path::Path;

use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_event::{ErrorKind, Failure};
use gemicro_store::SqliteStore;

/// Removes search indexes whose texts are gone: an index holds the texts of its sources, so it goes with the
/// last run that read them. Call it after erasing runs.
///
/// # Errors
/// When an index cannot be removed; the message names it.
pub async fn sweep_indexes(store: &SqliteStore, home: &Path) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(home.join("index")) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let Some(pack) = entry.file_name().to_str().and_then(BlobId::parse) else {
            continue;
        };
        if matches!(store.get(&pack).await, Err(BlobError::Missing { .. })) {
            fs::remove_dir_all(entry.path()).map_err(|error| {
                let message = format!(
                    "the index {} could not be removed: {error}",
                    entry.path().display()
                );
                Failure::new(ErrorKind::StorageError, message)
            })?;
        }
    }
    Ok(())
}
