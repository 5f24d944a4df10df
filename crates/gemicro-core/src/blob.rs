//! Large texts and binary contents, addressed by their hash.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Names a blob: the SHA-256 of its bytes in hex.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct BlobId(String);

impl BlobId {
    /// The id of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        Self(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Parses a text; `None` unless it is 64 hex digits in lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// The hexadecimal digits, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A blob could not be stored or found.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BlobError {
    /// It does not exist, or no longer.
    #[error("blob {id} is missing from the store")]
    Missing { id: BlobId },
    /// Its bytes do not have its hash.
    #[error("blob {id} is damaged: its bytes do not match its name")]
    Damaged { id: BlobId },
    /// The disk reported an error.
    #[error("blob {id} could not be written or read: {message}")]
    Io {
        id: BlobId,
        /// The message of the operating system.
        message: String,
    },
}

impl From<BlobError> for Failure {
    fn from(error: BlobError) -> Self {
        Self::new(ErrorKind::StorageError, error.to_string())
    }
}

/// The port to large contents. A blob belongs to the streams that put it and is deleted when the last one is erased.
pub trait Blobs: Send + Sync {
    /// Stores bytes for a stream; they are safe on disk when this returns. Storing twice is harmless.
    fn put(&self, stream: &StreamId, bytes: Vec<u8>) -> BoxFuture<'_, Result<BlobId, BlobError>>;

    /// Reads a blob and checks it against its name.
    fn get(&self, id: &BlobId) -> BoxFuture<'_, Result<Arc<[u8]>, BlobError>>;
}

/// Blobs in memory, for library users and tests.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    blobs: Mutex<BTreeMap<BlobId, Arc<[u8]>>>,
}

impl Blobs for MemoryBlobs {
    fn put(&self, _: &StreamId, bytes: Vec<u8>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        Box::pin(async move {
            let id = BlobId::of(&bytes);
            let mut blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
            blobs.insert(id.clone(), bytes.into());
            Ok(id)
        })
    }

    fn get(&self, id: &BlobId) -> BoxFuture<'_, Result<Arc<[u8]>, BlobError>> {
        let id = id.clone();
        Box::pin(async move {
            let blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
            blobs.get(&id).cloned().ok_or(BlobError::Missing { id })
        })
    }
}
