//! Reads back the texts that a run stored, without an index.

use gemicro_core::blob::Blobs;
use gemicro_core::corpus::Document;
use gemicro_core::research::StoredTexts;
use gemicro_event::{ErrorKind, Failure};

use crate::stored_page::StoredPage;
use crate::unpack;

/// Reads the stored documents and pages of a run.
///
/// # Errors
/// When a blob is missing or damaged.
pub async fn stored_documents(blobs: &dyn Blobs, stored: &StoredTexts) -> Result<Vec<Document>, Failure> {
    let mut documents = match &stored.pack {
        Some(pack) => unpack(&blobs.get(pack).await?)
            .map_err(|error| Failure::new(ErrorKind::StorageError, error.to_string()))?,
        None => Vec::new(),
    };
    for page in &stored.pages {
        documents.push(StoredPage::from_bytes(&blobs.get(page).await?)?.document);
    }
    Ok(documents)
}
