//! The search index over passages.

/// Why an index is not usable.
mod error;
/// The fields of the index.
mod fields;
/// Forms of a word brought together.
mod fold;
/// An index that stays in a folder.
mod folder;
/// The index and its queries.
mod passage_index;
/// Text as tantivy reads it.
mod tokenizer;
/// Text as words.
mod words;

#[cfg(test)]
mod tests;

pub use error::IndexError;
pub use passage_index::PassageIndex;
