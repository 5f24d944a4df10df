//! No-model research: answers taken from the texts themselves.
//!
//! Pure functions over the port [`Corpus`](crate::corpus::Corpus): a question is split ([`decompose`]),
//! every part is answered by quoted sentences or by "no evidence" with the reason ([`answer`]). The report is
//! written by [`research`](crate::research), which cites the same way with and without a model.
//!
//! # Theory of operation
//!
//! Two searches look at every question. `closest` takes any piece of a document (a sentence, a line, a row) and asks how much
//! of the question it speaks of (`terms`), whether it names what the question names, and whether it has the form that is
//! wanted (`piece`); tables are read in `table`. For questions with a name and a typed value, `select` finds the sentence about
//! exactly that subject through four gates: subject, type (`expected`), what was asked (`aspect`), quotable (`structure`).
//! Another document with another value is a contradiction; without a certain answer the closest pieces are related
//! passages. What a language brings (question words, units, synonyms) is data in `data/`. Text of a document never becomes
//! part of a plan, a query for another subject, or an order.

mod addresses;
mod answer;
/// How much of a question a sentence speaks of.
mod aspect;
/// Questions about something that another document names.
mod bridge;
/// Turns, tool calls and logs.
mod chat_frames;
/// The passages that come closest.
mod closest;
mod content_stems;
mod contradiction;
/// Two questions in one sentence.
mod coordination;
mod decompose;
mod definition;
/// Documents opened for a question.
mod documents;
/// Values that fit a question.
mod expected;
/// What comes back for a sub-question.
mod finding;
/// How well a value fits.
mod fit;
/// Questions that lean on the one before.
mod follow_up;
/// The gates a sentence passes.
mod gates;
mod hop;
mod language;
/// Words of all languages.
mod lexicon;
mod machine_tags;
/// What a number measures.
mod measure;
/// Words of several scripts.
mod mixed_scripts;
mod other_passages;
mod piece;
mod question;
/// What a model is given to read.
mod reading;
/// The subject of a question.
mod resolve;
/// The choice of sentences.
mod select;
/// Sentences of a passage.
mod sentence;
/// Small counts in words.
mod small_count;
mod structure;
mod subject;
mod table;
/// The words of a question.
mod terms;
/// Words of a text.
mod text;
mod unit_class;
/// Values in a sentence.
mod value;
mod wording;

#[cfg(test)]
mod tests;

pub use answer::answer;
pub use content_stems::content_stems;
pub use decompose::{Hop, SubQuestion, decompose};
pub use finding::{Contradiction, Finding, Gate, Side, SubAnswer};

pub(crate) use addresses::is_host;
pub use lexicon::warm_up;
pub use machine_tags::is_machine_tag;
pub use question::AnswerType;
pub(crate) use reading::{Room, passages_for};
pub use sentence::sentences as sentence_ranges;
pub(crate) use structure::is_scripted;
pub use text::stem;
pub use unit_class::UnitClass;
pub(crate) use wording::content_words;
