//! The search index over passages.

/// The keys of a field.
mod dictionary;
/// Why an index is not usable.
mod error;
/// Reduces the forms of a word to one key.
mod fold;
/// An index that stays in a folder.
mod folder;
/// The bytes of an index.
mod index_file;
/// The index and its queries.
mod passage_index;
/// The passages in which a word occurs.
mod postings;
/// Splits text into words.
mod words;

#[cfg(test)]
mod tests;

pub use error::IndexError;
pub use passage_index::PassageIndex;
