//! Chooses the entries for a prompt, and finds entries by words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gemicro_core::offline::content_stems;
use gemicro_core::tokens::{CautiousCount, TokenCount};

use crate::entry::MemoryEntry;

/// The live entries that a prompt contains: pinned ones, then those that share the most words with the text, then the
/// newest, as many as fit into the quota. Entries that are not pinned and share no word are left out.
#[must_use]
pub fn select<'e>(
    live: impl IntoIterator<Item = &'e MemoryEntry>,
    about: &str,
    quota: u64,
) -> Vec<&'e MemoryEntry> {
    let mut live = live.into_iter().peekable();
    if live.peek().is_none() {
        return Vec::new();
    }
    let stems = content_stems(about);
    let mut ranked: Vec<(Reverse<usize>, &MemoryEntry)> = live
        .map(|entry| (Reverse(n_shared(entry, &stems)), entry))
        .filter(|(shared, entry)| entry.pinned || shared.0 > 0)
        .collect();
    ranked.sort_by_key(|(shared, entry)| {
        let relevance = if entry.pinned {
            Reverse(usize::MAX)
        } else {
            *shared
        };
        (relevance, *shared, Reverse(entry.updated_at), entry.id.clone())
    });
    let mut left = quota;
    let fits = |entry: &&MemoryEntry| {
        let cost = CautiousCount.tokens(&entry.prompt_text());
        let fits = cost <= left;
        left = if fits { left - cost } else { left };
        fits
    };
    ranked.into_iter().map(|(_, entry)| entry).filter(fits).collect()
}

/// The entries that contain the words, the best first.
#[must_use]
pub fn find<'e>(entries: &[&'e MemoryEntry], words: &str) -> Vec<&'e MemoryEntry> {
    let stems = content_stems(words);
    let mut found: Vec<(usize, &MemoryEntry)> = entries
        .iter()
        .map(|entry| (n_shared(entry, &stems), *entry))
        .filter(|(n, _)| *n > 0)
        .collect();
    found.sort_by_key(|(n, entry)| (Reverse(*n), Reverse(entry.updated_at), entry.id.clone()));
    found.into_iter().map(|(_, entry)| entry).collect()
}

impl MemoryEntry {
    /// The entry as text of a prompt: one line for a note, all instructions for a skill.
    #[must_use]
    pub fn prompt_text(&self) -> String {
        match &self.skill {
            None => format!("{}: {}", self.kind.as_str(), self.text),
            Some(skill) => format!("### {}\n\n{}\n\n{}", skill.name, self.text, skill.body),
        }
    }
}

fn n_shared(entry: &MemoryEntry, stems: &BTreeSet<String>) -> usize {
    let name = entry
        .skill
        .as_ref()
        .map_or_else(String::new, |skill| skill.name.replace('-', " "));
    content_stems(&format!("{name} {}", entry.text))
        .intersection(stems)
        .count()
}

#[cfg(test)]
mod tests;
