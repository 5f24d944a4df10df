//! The fact ledger: exact strings that survive any compaction, or are reported lost.
//!
//! [`FactLedger`] takes the facts of every turn by rule, before anything is compacted. After a compaction it
//! says which of them the prompt lacks, the most telling first; those are written back as far as there is room.
//!
//! Files: `fact` (the data), `extract` (the facts of a turn), `sentence` with `telling_words`, `words`, `token`, `number`
//! (the rules),
//! `ledger` (all facts, and how much each tells), `finder` (what a text lacks).

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
