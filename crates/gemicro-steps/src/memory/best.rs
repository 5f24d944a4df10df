//! Keeps the best entries of a search.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gemicro_batch::types::MemorySource;
use gemicro_event::Timestamp;

use super::excerpt::excerpt;
use super::{Keywords, SearchBounds, SearchedEntry};

/// More keywords first, then newer entries, then those that were found first.
type EntryRank = (usize, Timestamp, Reverse<u64>);

/// The best of all entries seen so far.
#[derive(Debug)]
pub(super) struct Best {
    keywords: Keywords,
    limit: usize,
    bounds: SearchBounds,
    kept: BTreeMap<EntryRank, RankedEntry>,
    /// Entries that have one of the keywords.
    n_found: u64,
    /// Whether an entry was too long to be searched completely.
    has_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankedEntry {
    /// Its location, and the keywords in it.
    pub(super) source: MemorySource,
    /// Its headings, author or question.
    pub(super) title: String,
    /// The part that is shown.
    pub(super) excerpt: String,
}

impl Best {
    pub(super) fn new(keywords: Keywords, limit: u32, bounds: SearchBounds) -> Self {
        Self {
            keywords,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            bounds,
            kept: BTreeMap::new(),
            n_found: 0,
            has_cut: false,
        }
    }

    /// Ranks an entry. Entries with the same time must come with the newest first.
    pub(super) fn look_at(&mut self, entry: SearchedEntry) {
        let searched = entry
            .text
            .floor_char_boundary(entry.text.len().min(self.bounds.entry_bytes));
        self.has_cut |= searched < entry.text.len();
        let hits = self.keywords.first_hits(&entry.text[..searched]);
        let in_title = self.keywords.first_hits(&entry.title);
        let has: BTreeSet<usize> = hits
            .iter()
            .chain(&in_title)
            .map(|(keyword, _)| *keyword)
            .collect();
        if has.is_empty() && !self.keywords.given_words().is_empty() {
            return;
        }
        self.n_found += 1;
        let rank = (has.len(), entry.at, Reverse(self.n_found));
        let is_full = self.kept.len() >= self.limit;
        if is_full && self.kept.first_key_value().is_none_or(|(worst, _)| *worst > rank) {
            return;
        }
        let hits: Vec<_> = hits.into_iter().map(|(_, range)| range).collect();
        let found = RankedEntry {
            excerpt: excerpt(&entry.text, &hits, self.bounds.excerpt_bytes),
            title: excerpt(&entry.title, &[], self.bounds.excerpt_bytes),
            source: MemorySource {
                place: entry.place,
                at: entry.at,
                keywords: has
                    .iter()
                    .map(|idx| self.keywords.given_words()[*idx].clone())
                    .collect(),
            },
        };
        self.kept.insert(rank, found);
        if self.kept.len() > self.limit {
            self.kept.pop_first();
        }
    }

    /// The keywords of the search.
    pub(super) fn keywords(&self) -> &[String] {
        self.keywords.given_words()
    }

    /// Number of entries with one of the keywords.
    pub(super) fn n_found(&self) -> u64 {
        self.n_found
    }

    /// Whether an entry was too long to be searched completely.
    pub(super) fn has_cut(&self) -> bool {
        self.has_cut
    }

    /// The best entries, the very best first.
    pub(super) fn into_found(self) -> Vec<RankedEntry> {
        self.kept.into_values().rev().collect()
    }
}
