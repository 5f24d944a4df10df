//! The fact ledger: exact strings that survive any compaction, or are reported lost.
//!
//! [`FactLedger`] extracts the facts of every turn by rules, before anything is compacted. After a compaction it lists
//! those that the prompt lacks, the most important first; as many as fit are written back.
//!
//! Files: `fact` (the data), `extract` (the facts of a turn), `sentence` with `telling_words`, `words`, `token`,
//! `number` (the rules), `ledger` (all facts and their importance), `finder` (fast search in a text).

mod extract;
mod fact;
mod finder;
mod ledger;
mod number;
mod sentence;
mod telling_words;
#[cfg(test)]
mod tests;
mod token;
mod words;

pub(in crate::history) use extract::extract;
pub(in crate::history) use fact::{Fact, Spot};
pub use fact::{FactClass, FactKind};
pub(in crate::history) use finder::Finder;
pub use ledger::FactLedger;
