//! All stored documents as one blob: [`pack`] and [`unpack`].
//!
//! A first line with name, version and number of documents, then one JSON document per line. It contains no times and
//! no paths outside the sources, so the same texts give the same bytes, and the hash of the bytes names the index built
//! from them.

use gemicro_core::corpus::Document;

use super::Snapshot;
use super::ledger::{LedgerEntry, sha256_hex};

/// Raised when older readers could no longer read the bytes.
const VERSION: u32 = 1;
const NAME: &str = "gemicro-pack";

/// A snapshot in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedSnapshot {
    /// The documents.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes, in hex; names the index cache.
    pub sha256: String,
    /// The origins, one per document.
    pub ledger: Vec<LedgerEntry>,
}

/// Why bytes cannot be read as a pack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The first line is not the header of a pack.
    #[error("not a pack of documents")]
    NotAPack,
    /// Written by a newer gemicro.
    #[error("pack version {version} is newer than {VERSION}; use a newer gemicro")]
    NewerVersion {
        /// The version of the pack.
        version: u32,
    },
    /// A document is not readable, or some are missing.
    #[error("the pack of documents is damaged in line {line}: {reason}")]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

/// Packs the documents of a snapshot.
#[must_use]
pub fn pack(snapshot: &Snapshot) -> PackedSnapshot {
    let mut bytes = format!("{NAME} {VERSION} {}\n", snapshot.documents.len()).into_bytes();
    for document in &snapshot.documents {
        serde_json::to_writer(&mut bytes, document).expect("strings and numbers in memory always serialise");
        bytes.push(b'\n');
    }
    PackedSnapshot {
        sha256: sha256_hex(&bytes),
        bytes,
        ledger: snapshot.ledger.clone(),
    }
}

/// Reads the documents back. Every block of every document is on character boundaries of its text.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Document>, PackError> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let n_documents = read_header(lines.next().unwrap_or_default())?;
    let mut documents = Vec::new();
    for (idx, line) in lines.enumerate() {
        let damaged = |reason: String| PackError::Damaged {
            line: idx + 2,
            reason,
        };
        let document: Document = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
        if !blocks_are_sound(&document) {
            return Err(damaged(format!(
                "a block of {} is outside its text",
                document.doc
            )));
        }
        documents.push(document);
    }
    if documents.len() as u64 != n_documents {
        let reason = format!("{} documents instead of {n_documents}", documents.len());
        return Err(PackError::Damaged {
            line: documents.len() + 1,
            reason,
        });
    }
    Ok(documents)
}

fn read_header(line: &[u8]) -> Result<u64, PackError> {
    let line = std::str::from_utf8(line).map_err(|_| PackError::NotAPack)?;
    let mut words = line.trim_end().split(' ');
    if words.next() != Some(NAME) {
        return Err(PackError::NotAPack);
    }
    let mut number = || {
        words
            .next()
            .and_then(|word| word.parse::<u64>().ok())
            .ok_or(PackError::NotAPack)
    };
    let (version, n_documents) = (number()?, number()?);
    if version > u64::from(VERSION) {
        return Err(PackError::NewerVersion {
            version: u32::try_from(version).unwrap_or(u32::MAX),
        });
    }
    Ok(n_documents)
}

fn blocks_are_sound(document: &Document) -> bool {
    let mut floor = 0;
    document.blocks.iter().all(|block| {
        let in_order = block.range.start >= floor;
        floor = block.range.end;
        in_order && document.text.get(block.range.clone()).is_some()
    })
}
