//! Turns the owner's changes of the file into changes of the memory.

use std::collections::BTreeSet;

use gemicro_event::{StreamId, Timestamp, text};

use crate::blocks::{FileBlock, FileBlockKind, blocks, is_item, item_text};
use crate::entry::{EntryAuthor, EntryState, EntryTrust, MemoryEntry, MemoryKind};
use crate::error::MemoryError;
use crate::events::{EntryChange, MemoryChanged};
use crate::memory::Memory;
use crate::render::{MARK, TITLE};
use crate::text::{ENTRY_CHARS, check_text};

/// Maximum number of entries in the file.
const MOST_ENTRIES: usize = 2_000;

/// The entries of a file.
#[derive(Debug, Default)]
pub(crate) struct EditedFile {
    /// The stream and the event that it shows; absent if gemicro did not write it.
    shows: Option<(String, u64)>,
    items: Vec<EditedItem>,
}

#[derive(Debug)]
struct EditedItem {
    id: Option<String>,
    kind: MemoryKind,
    text: String,
}

impl EditedFile {
    /// Reads a file.
    ///
    /// # Errors
    /// For the first line that is not part of an entry, because writing the file would lose it.
    pub(crate) fn read(text: &str) -> Result<Self, MemoryError> {
        let mut file = Self::default();
        for block in blocks(text.trim_start_matches('\u{feff}')) {
            let kind = kind_of(&block)?;
            let comment = block.comment.as_deref();
            match block.kind {
                FileBlockKind::Heading => {}
                FileBlockKind::Paragraph if block.text.is_empty() => {
                    file.shows = file.shows.or_else(|| comment.and_then(shown_event));
                }
                FileBlockKind::Paragraph => {
                    let why = "this is not an entry: make it a list item (`- …`), or move it to another file";
                    return Err(line_error(&block, why));
                }
                FileBlockKind::Item => file.items.push(EditedItem {
                    id: comment.and_then(|it| Some(it.split_whitespace().next()?.to_owned())),
                    kind,
                    text: entry_text(&block)?,
                }),
            }
        }
        if file.items.len() > MOST_ENTRIES {
            let why = format!(
                "has {} entries, but at most {MOST_ENTRIES} are allowed",
                file.items.len()
            );
            return Err(MemoryError::File { why });
        }
        Ok(file)
    }

    /// The event that the file shows, if it shows this stream.
    pub(crate) fn shown_event(&self, stream: &StreamId) -> Option<u64> {
        let (shown, seq) = self.shows.as_ref()?;
        (shown == stream.as_str()).then_some(*seq)
    }

    /// What the owner changed: `base` is the memory that the file showed, `current` the memory now.
    pub(crate) fn changes(&self, base: &Memory, current: &Memory, now: Timestamp) -> Vec<MemoryChanged> {
        let mut after = current.clone();
        let mut changes = Vec::new();
        let mut make = |after: &mut Memory, change: EntryChange, entry: MemoryEntry| {
            let changed = MemoryChanged {
                change,
                by: EntryAuthor::User,
                entry,
            };
            after.change(changed.clone());
            changes.push(changed);
        };
        let mut live: BTreeSet<String> = current.live(now).into_iter().map(|it| it.text.clone()).collect();
        let shown = shown_entries(base);
        let mut kept = BTreeSet::new();
        for item in &self.items {
            let before = item.id.as_deref().filter(|id| shown.contains(*id));
            match before.and_then(|id| Some((base.get(id)?, current.get(id)?))) {
                Some((before, entry)) => {
                    kept.insert(entry.id.clone());
                    if item.text != before.text && item.text != entry.text {
                        let edited = MemoryEntry {
                            text: item.text.clone(),
                            trust: EntryTrust::Live,
                            updated_at: now,
                            ..entry.clone()
                        };
                        make(&mut after, EntryChange::Edited, edited);
                    }
                }
                None if !live.insert(item.text.clone()) => {}
                None => {
                    let entry = after.new_entry((item.kind, &item.text), EntryAuthor::User, None, now);
                    make(&mut after, EntryChange::Added, entry);
                }
            }
        }
        for id in shown.difference(&kept) {
            let live = current
                .get(id)
                .filter(|it| current.state(it, now) == EntryState::Live);
            if let Some(entry) = live {
                let expired = MemoryEntry {
                    trust: EntryTrust::Expired,
                    updated_at: now,
                    ..entry.clone()
                };
                make(&mut after, EntryChange::Expired, expired);
            }
        }
        changes
    }
}

/// The ids of the entries that the file showed. Dates are ignored: an entry that expired since then was not deleted by
/// the owner, and not added either.
fn shown_entries(base: &Memory) -> BTreeSet<String> {
    let live = base.live(Timestamp::from_millis(i64::MIN));
    live.into_iter().map(|entry| entry.id.clone()).collect()
}

/// The kind that the headings above a block say.
fn kind_of(block: &FileBlock) -> Result<MemoryKind, MemoryError> {
    let own = (block.kind == FileBlockKind::Heading).then_some(&block.text);
    let mut kind = MemoryKind::default();
    for heading in block.headings.iter().chain(own) {
        let named = |kind: &MemoryKind| kind.heading().eq_ignore_ascii_case(heading);
        match MemoryKind::ALL.into_iter().find(named) {
            Some(named) => kind = named,
            None if heading.eq_ignore_ascii_case(TITLE) => {}
            None => {
                let why = format!(
                    "it is under the heading `{}`, which has no meaning here: use Rules, Preferences, Facts or Lessons",
                    text::shortened(heading, 60)
                );
                return Err(line_error(block, &why));
            }
        }
    }
    Ok(kind)
}

/// The text of an item, on one line.
fn entry_text(block: &FileBlock) -> Result<String, MemoryError> {
    let mut lines = block.text.lines();
    let first = lines.next().and_then(item_text).unwrap_or_default();
    let is_nested = |line: &str| is_item(line) || line.starts_with(['#', '>', '|', '`', '~']);
    if lines.clone().any(|line| is_nested(line.trim())) || first.trim().starts_with("```") {
        let why = "an entry is one text: it cannot contain a list, a table, a quotation or a block of code";
        return Err(line_error(block, why));
    }
    let words: Vec<&str> = std::iter::once(first).chain(lines).collect();
    let text = text::one_line(&words.join(" "));
    match check_text(&text, ENTRY_CHARS) {
        Ok(()) => Ok(text),
        Err(error) => Err(line_error(block, &error.to_string())),
    }
}

/// The stream and the event that gemicro's comment names.
fn shown_event(comment: &str) -> Option<(String, u64)> {
    let name = comment.strip_prefix(MARK)?.split_whitespace().next()?;
    let (stream, seq) = name.split_once('@')?;
    Some((stream.to_owned(), seq.parse().ok()?))
}

fn line_error(block: &FileBlock, why: &str) -> MemoryError {
    MemoryError::Line {
        line: block.line,
        why: why.to_owned(),
    }
}
