//! Reads `AGENT_MEMORY.md`: notes that agents and people wrote for later.
//!
//! An entry is a list item with everything indented under it, or a paragraph; a fenced block is not split. The headings
//! above an entry are its title, so a word in a heading finds everything under it. All entries have the time of the
//! file; later ones count as newer, because such files grow at the end.

use std::io::ErrorKind;
use std::path::Path;

use gemicro_batch::types::MemoryPlace;
use gemicro_event::Timestamp;
use gemicro_event::redact::Redactor;
use gemicro_memory::{FILE, read_bytes};

use super::SearchedEntry;

/// The contents of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryFile {
    /// Its entries, in the order of the file.
    pub(super) entries: Vec<SearchedEntry>,
    /// Why it was not read completely.
    pub(super) note: Option<String>,
}

/// Reads the memory file of a folder. Does not follow a link, and does not block on a pipe or a device.
pub(super) fn read(folder: &Path, most_bytes: u64, redactor: &Redactor) -> MemoryFile {
    let (bytes, changed_at) = match read_bytes(folder, most_bytes) {
        Ok(read) => read,
        Err(error) if error.kind() == ErrorKind::NotFound => return MemoryFile::default(),
        Err(error) => {
            return MemoryFile {
                entries: Vec::new(),
                note: Some(format!("{FILE} was not read: {error}")),
            };
        }
    };
    let is_longer = bytes.len() as u64 > most_bytes;
    let kept = usize::try_from(most_bytes).map_or(bytes.len(), |most| bytes.len().min(most));
    let text = String::from_utf8_lossy(&bytes[..kept]);
    // Redact before splitting: part of a secret must not survive because the rest is in another entry.
    let text = redactor.redact(text.trim_start_matches('\u{feff}'));
    MemoryFile {
        entries: entries(&text, changed_at),
        note: is_longer.then(|| format!("{FILE} was read up to {most_bytes} bytes")),
    }
}

/// The entries of the text.
fn entries(text: &str, at: Timestamp) -> Vec<SearchedEntry> {
    let blocks = gemicro_memory::blocks(text).into_iter();
    let entries = blocks.filter(|block| !block.text.is_empty());
    entries
        .map(|block| SearchedEntry {
            place: MemoryPlace::File {
                path: FILE.to_owned(),
                line: block.line,
            },
            at,
            title: block.headings.join(" > "),
            text: block.text,
        })
        .collect()
}

#[cfg(test)]
mod tests;
