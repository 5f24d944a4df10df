//! The origin of a stored text: [`LedgerEntry`].

use std::time::{SystemTime, UNIX_EPOCH};

use gemicro_core::corpus::Document;
use gemicro_event::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::take::FileMetadata;
use crate::walk::FoundFile;

/// The origin of one document, as stored in the run's source ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The document's id.
    pub doc: String,
    /// SHA-256 of the stored text, in hex.
    pub sha256: String,
    /// The file, with all links resolved.
    pub origin: String,
    /// When it was read, in RFC 3339.
    pub read_at: String,
    /// When the file was last changed, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<String>,
    /// Media type, such as `text/markdown`.
    pub media: String,
    /// Its title.
    pub title: String,
    /// The date that the document states, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Length of the stored text in bytes.
    pub n_bytes: u64,
    /// Whether the file changed during both attempts to read it; the stored text is from the second one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed_while_read: bool,
}

impl LedgerEntry {
    pub(super) fn new(
        candidate: &FoundFile,
        document: &Document,
        metadata: &FileMetadata,
        read_at: &str,
    ) -> Self {
        Self {
            doc: document.doc.clone(),
            sha256: sha256_hex(document.text.as_bytes()),
            origin: candidate.path.to_string_lossy().into_owned(),
            read_at: read_at.to_owned(),
            modified_at: metadata.modified_at.and_then(rfc_3339),
            media: metadata.media.to_owned(),
            title: document.title.clone(),
            date: document.date.clone(),
            n_bytes: document.text.len() as u64,
            changed_while_read: metadata.changed_while_read,
        }
    }
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn rfc_3339(time: SystemTime) -> Option<String> {
    let millis = time.duration_since(UNIX_EPOCH).ok()?.as_millis();
    Some(Timestamp::from_millis(i64::try_from(millis).ok()?).to_string())
}
