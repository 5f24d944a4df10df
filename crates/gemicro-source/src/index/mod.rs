//! The search index over passages.

/// The keys of a field.
mod dictionary;
/// Why an index is not usable.
mod error;
/// Forms of a word brought together.
mod fold;
/// An index that stays in a folder.
mod folder;
/// The bytes of an index.
mod index_file;
/// The index and its queries.
mod passage_index;
/// In which passages a word occurs.
mod postings;
/// Text as words.
mod words;

#[cfg(test)]
mod tests;

pub use error::IndexError;
pub use passage_index::PassageIndex;
