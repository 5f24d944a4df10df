//! What a conversation says, sentence by sentence.
//!
//! Files: `split` (a turn becomes statements: prose by the sentence, pasted material by the line), `index` (all statements
//! of a conversation and the words they share with a message), `score` (how much each is worth in a prompt).

mod index;
mod score;
mod split;
#[cfg(test)]
mod tests;

pub(in crate::history) use index::IndexedStatement;
pub use index::StatementIndex;
pub(in crate::history) use score::{Ranked, rank_statements};
pub(in crate::history) use split::statements;
