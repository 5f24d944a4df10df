//! Reads `AGENT_MEMORY.md`: notes that agents and people wrote for later.
//!
//! An entry is a list item with everything indented under it, or a paragraph; a fenced block is not split. The headings
//! above an entry are its title, so a word in a heading finds everything under it. All entries have the time of the
//! file; later ones count as newer, because such files grow at the end.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use gemicro_batch::types::MemoryPlace;
use gemicro_event::Timestamp;
use gemicro_event::redact::Redactor;
use rustix::fs::OFlags;

use super::MemoryEntry;

/// The name of the file.
pub(super) const FILE: &str = "AGENT_MEMORY.md";

/// The contents of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryFile {
    /// Its entries, in the order of the file.
    pub(super) entries: Vec<MemoryEntry>,
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

fn read_bytes(folder: &Path, most_bytes: u64) -> std::io::Result<(Vec<u8>, Timestamp)> {
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

/// Splits the text into entries.
fn entries(text: &str, at: Timestamp) -> Vec<MemoryEntry> {
    let mut reading = MemoryFileReader {
        at,
        entries: Vec::new(),
        headings: Vec::new(),
        block: None,
        fence: None,
    };
    for (number, line) in (1..).zip(text.lines()) {
        reading.line(number, line);
    }
    reading.close();
    reading.close_heading(0);
    reading.entries
}

struct MemoryFileReader<'t> {
    at: Timestamp,
    entries: Vec<MemoryEntry>,
    /// The headings above the current line, with their levels.
    headings: Vec<(usize, &'t str)>,
    block: Option<MemoryBlock<'t>>,
    fence: Option<&'t str>,
}

struct MemoryBlock<'t> {
    first_line: u64,
    kind: MemoryBlockKind,
    lines: Vec<&'t str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemoryBlockKind {
    Heading,
    Item,
    Paragraph,
}

impl<'t> MemoryFileReader<'t> {
    fn line(&mut self, number: u64, line: &'t str) {
        let bare = line.trim();
        let is_indented = line.starts_with([' ', '\t']);
        let was_blank = self
            .block
            .as_ref()
            .and_then(|block| block.lines.last())
            .is_some_and(|last| last.is_empty());
        if let Some(fence) = self.fence {
            if bare.starts_with(fence) {
                self.fence = None;
            }
            return self.continue_block(number, line);
        }
        let fence = ["```", "~~~"].into_iter().find(|fence| bare.starts_with(fence));
        let in_item = self
            .block
            .as_ref()
            .is_some_and(|block| block.kind == MemoryBlockKind::Item);
        if bare.is_empty() {
            // An item may continue, indented, after a blank line.
            match in_item {
                true => self.continue_block(number, ""),
                false => self.close(),
            }
        } else if let Some((level, words)) = heading(line) {
            self.close();
            self.close_heading(level);
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, words));
            self.begin(number, MemoryBlockKind::Heading, words);
        } else if !is_indented && is_item(line) {
            self.close();
            self.begin(number, MemoryBlockKind::Item, line);
        } else {
            if was_blank && !is_indented {
                self.close();
            }
            self.continue_block(number, line);
        }
        if !bare.is_empty() {
            self.fence = fence;
        }
    }

    fn begin(&mut self, number: u64, kind: MemoryBlockKind, line: &'t str) {
        self.block = Some(MemoryBlock {
            first_line: number,
            kind,
            lines: vec![line],
        });
    }

    /// Adds a line to the block; a heading with text under it is not an entry itself.
    fn continue_block(&mut self, number: u64, line: &'t str) {
        match &mut self.block {
            Some(block) if block.kind != MemoryBlockKind::Heading => block.lines.push(line),
            _ => self.begin(number, MemoryBlockKind::Paragraph, line),
        }
    }

    /// Ends an item or a paragraph.
    fn close(&mut self) {
        if let Some(block) = self.block.take_if(|block| block.kind != MemoryBlockKind::Heading) {
            self.keep(&block, self.headings.len());
        }
    }

    /// Ends a heading that is followed only by a heading of this level.
    fn close_heading(&mut self, level: usize) {
        let last = self.headings.last().map_or(0, |(level, _)| *level);
        if let Some(block) = self.block.take()
            && last >= level
        {
            self.keep(&block, self.headings.len().saturating_sub(1));
        }
    }

    fn keep(&mut self, block: &MemoryBlock<'t>, n_above: usize) {
        let headings = self.headings[..n_above].iter().map(|(_, words)| *words);
        self.entries.push(MemoryEntry {
            place: MemoryPlace::File {
                path: FILE.to_owned(),
                line: block.first_line,
            },
            at: self.at,
            title: headings.collect::<Vec<_>>().join(" > "),
            text: block.lines.join("\n").trim_end().to_owned(),
        });
    }
}

/// The level and the text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Whether a list item begins here: `-`, `*`, `+`, `1.` or `1)`.
fn is_item(line: &str) -> bool {
    let marked = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => Some(rest),
        None => {
            let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
            let n_digits = line.len() - rest.len();
            (1..=9)
                .contains(&n_digits)
                .then(|| rest.strip_prefix(['.', ')']))
                .flatten()
        }
    };
    marked.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests;
