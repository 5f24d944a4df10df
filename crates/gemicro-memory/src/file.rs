//! Reads and writes `AGENT_MEMORY.md`.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use gemicro_event::{StreamId, Timestamp};
use rustix::fs::OFlags;

use crate::error::MemoryError;

/// The name of the file.
pub const FILE: &str = "AGENT_MEMORY.md";
/// Maximum size of the file.
const MOST_BYTES: u64 = 4 << 20;

/// The first bytes of a folder's memory file, one more than `most_bytes` if it is longer, and when it was changed.
///
/// # Errors
/// When it is missing, or is not a plain file: does not follow a link, and does not block on a pipe or a device.
pub fn read_bytes(folder: &Path, most_bytes: u64) -> std::io::Result<(Vec<u8>, Timestamp)> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(
            (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY)
                .bits()
                .cast_signed(),
        )
        .open(folder.join(FILE))?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is not a plain file"));
    }
    let changed_at = metadata.modified()?.duration_since(std::time::UNIX_EPOCH);
    let changed_at = changed_at.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    let mut bytes = Vec::new();
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes, Timestamp::from_millis(changed_at)))
}

/// The text of a folder's memory file; `None` if there is none.
pub(crate) fn read_text(folder: &Path) -> Result<Option<String>, MemoryError> {
    let failed = |why: String| Err(MemoryError::File { why });
    match read_bytes(folder, MOST_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => failed(format!("cannot be read: {error}")),
        Ok((bytes, _)) if bytes.len() as u64 > MOST_BYTES => failed(format!(
            "is larger than {MOST_BYTES} bytes: move what is not an entry to another file"
        )),
        Ok((bytes, _)) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                Err(MemoryError::Line {
                    line: 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64,
                    why: "it is not UTF-8 text".to_owned(),
                })
            }
        },
    }
}

/// Replaces the memory file as a whole; an existing one keeps its permissions.
pub(crate) fn write_text(folder: &Path, text: &str) -> Result<(), MemoryError> {
    let path = folder.join(FILE);
    let new = folder.join(format!(".{FILE}.{}", StreamId::random()));
    let written = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        if let Ok(found) = fs::symlink_metadata(&path) {
            file.set_permissions(found.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)
    };
    written().map_err(|error: std::io::Error| {
        let _ = fs::remove_file(&new);
        MemoryError::File {
            why: format!("in {} cannot be written: {error}", folder.display()),
        }
    })
}
