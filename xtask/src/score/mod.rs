//! Scores research answers against a corpus with gold spans.
//!
//! A citation is verified if its span, with white space collapsed, is in the named document: in the raw text, in the
//! text without invisible characters, or (HTML) in the visible text. Everything else is fabricated. The main types are
//! [`ScoreCorpus`] and [`Measures`], and [`Folder`] for ordinary folders, whose questions give strings instead of
//! spans.

mod answers;
mod bars;
mod corpus;
mod html;
mod measures;
mod normal;
mod ordinary;

#[cfg(test)]
mod tests;

pub(crate) use answers::ScoredAnswers;
pub(crate) use bars::Bars;
pub(crate) use corpus::ScoreCorpus;
pub(crate) use measures::{Measures, Ratio, measure};
pub(crate) use ordinary::{Folder, FolderBars, FolderMeasures};
