//! Splits a conversation into statements and ranks them.
//!
//! Files: `split` (splits a turn into statements: prose by sentence, pasted material by line), `index` (all statements
//! of a conversation and the words they share with a message), `score` (the value of each in a prompt).

mod index;
mod score;
mod split;
#[cfg(test)]
mod tests;

pub(in crate::history) use index::IndexedStatement;
pub use index::StatementIndex;
pub(in crate::history) use score::{Ranked, rank_statements};
pub(in crate::history) use split::statements;
