//! Reads the text of a file: [`read_file`].
//!
//! A file is read whole, up to the limit. Its size and time are compared before and after, so that the stored text is
//! one state of the file. Decoding is in `decode`; `parse` finds the structure.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use super::decode::decode;
use crate::limits::larger_than;
use crate::walk::os_reason;

/// A file's text, and facts about reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadText {
    /// Decoded text: no byte order mark, line ends as `\n`, and no invisible characters but those that disguise words.
    pub text: String,
    /// When the file was last changed, according to the file system.
    pub modified_at: Option<SystemTime>,
    /// Whether the file changed during both attempts; `text` is from the second one.
    pub changed_while_read: bool,
}

/// Why a file gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No characters, or only white space.
    #[error("empty")]
    Empty,
    /// Not text in any known encoding.
    #[error("binary")]
    Binary,
    /// A PDF with another file extension.
    #[error("a PDF")]
    Pdf,
    /// It grew over the limit after it was listed.
    #[error("{}", larger_than(*limit))]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refused.
    #[error("{reason}")]
    Os {
        /// The system's error, in lower case.
        reason: String,
    },
}

/// Distinguishes two states of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) n_bytes: u64,
    pub(crate) modified_at: Option<SystemTime>,
}

/// Reads and decodes one file of at most `max_bytes`.
pub fn read_file(path: &Path, max_bytes: u64) -> Result<ReadText, ReadError> {
    let stamp = || stamp_of(path);
    let (bytes, stamp, changed_while_read) =
        read_steady(stamp, || read_bytes(path, max_bytes)).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => ReadError::TooLarge { limit: max_bytes },
            _ => ReadError::Os {
                reason: os_reason(&error),
            },
        })?;
    if bytes.starts_with(b"%PDF-") {
        return Err(ReadError::Pdf);
    }
    let text = decode(&bytes)?;
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    Ok(ReadText {
        text,
        modified_at: stamp.modified_at,
        changed_while_read,
    })
}

/// Reads until the stamp is the same before and after, at most twice; returns whether it never was.
pub(crate) fn read_steady<T>(
    mut stamp: impl FnMut() -> io::Result<Stamp>,
    mut read: impl FnMut() -> io::Result<T>,
) -> io::Result<(T, Stamp, bool)> {
    let mut before = stamp()?;
    let mut found = read()?;
    let mut after = stamp()?;
    if before != after {
        before = after;
        found = read()?;
        after = stamp()?;
    }
    let changed = before != after;
    Ok((found, after, changed))
}

pub(crate) fn stamp_of(path: &Path) -> io::Result<Stamp> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(Stamp {
        n_bytes: metadata.len(),
        modified_at: metadata.modified().ok(),
    })
}

fn read_bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}
