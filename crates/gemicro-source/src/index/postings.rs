//! Posting lists: the passages in which a key occurs, how often, and where ([`FieldBuilder`], [`PostingList`]).
//!
//! A list is a sequence of variable-length numbers (7 bits per byte): the distance from the previous passage, the
//! count, and in fields with positions the distance of each position from the previous one.

use std::collections::HashMap;

/// One field during the build of the index.
#[derive(Debug, Default)]
pub(super) struct FieldBuilder {
    pub(super) has_positions: bool,
    lists: HashMap<String, ListBuilder>,
    /// Number of keys of each passage.
    pub(super) lengths: Vec<u32>,
}

#[derive(Debug, Default)]
struct ListBuilder {
    n_passages: u32,
    /// One more than the last passage.
    next: u32,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct BuiltList {
    pub(super) key: String,
    pub(super) n_passages: u32,
    pub(super) bytes: Vec<u8>,
}

/// A list that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PostingList {
    pub(super) postings: Vec<Posting>,
    /// The positions of all postings, one after the other; empty in fields without positions.
    positions: Vec<u32>,
}

/// One passage of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) passage: u32,
    pub(super) count: u32,
    first_position: u32,
}

impl Posting {
    pub(super) fn with_count(self, count: u32) -> Self {
        Self { count, ..self }
    }
}

impl PostingList {
    /// The positions of the key in a passage, ascending.
    pub(super) fn positions(&self, posting: Posting) -> &[u32] {
        let start = posting.first_position as usize;
        self.positions
            .get(start..start + posting.count as usize)
            .unwrap_or_default()
    }
}

impl FieldBuilder {
    pub(super) fn new(has_positions: bool) -> Self {
        Self {
            has_positions,
            ..Self::default()
        }
    }

    /// Adds the keys of the next passage, in order.
    pub(super) fn add(&mut self, passage: u32, keys: Vec<String>) {
        self.lengths.push(u32::try_from(keys.len()).unwrap_or(u32::MAX));
        let mut placed: Vec<(String, u32)> = keys.into_iter().zip(0..).collect();
        placed.sort();
        for group in placed.chunk_by(|a, b| a.0 == b.0) {
            let key = &group[0].0;
            if !self.lists.contains_key(key) {
                self.lists.insert(key.clone(), ListBuilder::default());
            }
            let Some(list) = self.lists.get_mut(key) else {
                continue;
            };
            push_number(&mut list.bytes, passage - list.next);
            list.next = passage + 1;
            list.n_passages += 1;
            push_number(&mut list.bytes, u32::try_from(group.len()).unwrap_or(u32::MAX));
            if self.has_positions {
                let mut before = 0;
                for (_, position) in group {
                    push_number(&mut list.bytes, position - before);
                    before = *position;
                }
            }
        }
    }

    /// All lists, sorted by key.
    pub(super) fn finish(self) -> Vec<BuiltList> {
        let lists = self.lists.into_iter().map(|(key, list)| BuiltList {
            key,
            n_passages: list.n_passages,
            bytes: list.bytes,
        });
        let mut lists: Vec<BuiltList> = lists.collect();
        lists.sort_by(|a, b| a.key.cmp(&b.key));
        lists
    }
}

/// Reads a list. `None` if the bytes are not a list.
pub(super) fn read_list(mut bytes: &[u8], n_passages: u32, has_positions: bool) -> Option<PostingList> {
    let mut list = PostingList::default();
    let mut next = 0_u32;
    for _ in 0..n_passages {
        let passage = next.checked_add(take_number(&mut bytes)?)?;
        next = passage.checked_add(1)?;
        let count = take_number(&mut bytes)?;
        list.postings.push(Posting {
            passage,
            count,
            first_position: u32::try_from(list.positions.len()).ok()?,
        });
        if has_positions {
            let mut at = 0_u32;
            for _ in 0..count {
                at = at.checked_add(take_number(&mut bytes)?)?;
                list.positions.push(at);
            }
        }
    }
    bytes.is_empty().then_some(list)
}

/// Appends a number: seven bits per byte, the lowest first, the top bit set on all but the last.
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front. `None` if there is none.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}
