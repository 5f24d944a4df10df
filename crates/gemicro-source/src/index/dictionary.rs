//! The keys of a field and the positions of their posting lists: [`Dictionary`].

use std::cmp::Ordering;

use super::postings::{BuiltList, push_number, take_number};

/// The keys of a field, ascending.
#[derive(Debug)]
pub(super) struct Dictionary {
    /// All keys, one after the other.
    keys: String,
    entries: Vec<DictionaryEntry>,
}

#[derive(Debug)]
pub(super) struct DictionaryEntry {
    key_end: u32,
    pub(super) n_passages: u32,
    pub(super) list_at: u64,
    pub(super) list_bytes: u32,
}

/// Appends the entry of a list. `None` if the list is too long.
pub(super) fn push_entry(bytes: &mut Vec<u8>, list: &BuiltList) -> Option<()> {
    push_number(bytes, u32::try_from(list.key.len()).ok()?);
    bytes.extend_from_slice(list.key.as_bytes());
    push_number(bytes, list.n_passages);
    push_number(bytes, u32::try_from(list.bytes.len()).ok()?);
    Some(())
}

impl Dictionary {
    /// Reads a dictionary whose first list begins at `list_at`. `None` if the bytes are not a dictionary.
    pub(super) fn read(mut bytes: &[u8], n_keys: u32, mut list_at: u64) -> Option<Self> {
        let mut keys = String::with_capacity(bytes.len());
        let mut entries = Vec::new();
        for _ in 0..n_keys {
            let key_bytes = take_number(&mut bytes)? as usize;
            let (key, rest) = bytes.split_at_checked(key_bytes)?;
            bytes = rest;
            keys.push_str(std::str::from_utf8(key).ok()?);
            let n_passages = take_number(&mut bytes)?;
            let list_bytes = take_number(&mut bytes)?;
            entries.push(DictionaryEntry {
                key_end: u32::try_from(keys.len()).ok()?,
                n_passages,
                list_at,
                list_bytes,
            });
            list_at += u64::from(list_bytes);
        }
        Some(Self { keys, entries })
    }

    pub(super) fn find(&self, key: &str) -> Option<&DictionaryEntry> {
        let key_at = |idx: usize| {
            let start = idx
                .checked_sub(1)
                .map_or(0, |before| self.entries[before].key_end);
            &self.keys[start as usize..self.entries[idx].key_end as usize]
        };
        let mut range = 0..self.entries.len();
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            match key_at(middle).cmp(key) {
                Ordering::Less => range.start = middle + 1,
                Ordering::Greater => range.end = middle,
                Ordering::Equal => return self.entries.get(middle),
            }
        }
        None
    }
}
