//! A fetched page as it is stored: its text and origin.

use gemicro_core::corpus::Document;
use gemicro_event::{ErrorKind, Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::FetchedPage;
use crate::LedgerEntry;

/// A page and its entry in the source ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredPage {
    pub(crate) document: Document,
    pub(crate) ledger: LedgerEntry,
}

impl StoredPage {
    /// A page that was fetched just now.
    pub(crate) fn new(page: FetchedPage) -> Self {
        let ledger = LedgerEntry {
            doc: page.document.doc.clone(),
            sha256: page.sha256,
            origin: page.asked,
            read_at: Timestamp::now().to_string(),
            modified_at: None,
            media: page.content_type,
            title: page.document.title.clone(),
            date: page.document.date.clone(),
            n_bytes: page.document.text.len() as u64,
            changed_while_read: false,
        };
        Self {
            document: page.document,
            ledger,
        }
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(self).map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(bytes).map_err(|error| {
            let message = format!("a stored page cannot be read: {error}");
            Failure::new(ErrorKind::StorageError, message)
        })
    }
}
