//! Upkeep of what the engine keeps beside the store.

use std::fs;
use std::path::Path;

use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{ErrorKind, Failure};
use gemicro_store::{DurableStore, RunFilter};

use crate::flows::FlowKind;

/// Removes search indexes whose texts are gone: an index holds the texts of its sources, so it goes with the
/// last run that read them. Call it after erasing runs.
///
/// # Errors
/// When an index cannot be removed; the message names it.
pub async fn sweep_indexes(store: &DurableStore, home: &Path) -> Result<(), Failure> {
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

/// Writes the boards of all runs again, from their journals. Tells how many there are.
///
/// # Errors
/// When the store fails or a journal cannot be read.
pub async fn rebuild_boards(store: &DurableStore) -> Result<u64, Failure> {
    let mut n_boards = 0;
    for flow in FlowKind::WITH_BOARDS {
        let filter = RunFilter {
            flow: Some(flow.name().to_owned()),
            limit: Some(usize::MAX),
            ..RunFilter::default()
        };
        for row in store.runs(&filter).await? {
            let events = match store.read(&row.run, 0, usize::MAX).await {
                Ok(page) => page.events,
                // One whose contents were erased has no board either.
                Err(StoreError::Erased { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            store.rewrite_board(&row.run, flow.whole_board(&events)?).await?;
            n_boards += 1;
        }
    }
    Ok(n_boards)
}
