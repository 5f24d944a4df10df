//! Views show a run while it happens. They are equal consumers of events; a replay feeds the same views.
//!
//! [`RunView`] is the trait. [`TerminalBoard`] draws on a terminal, [`LineView`] writes one line per event,
//! [`EventLines`] prints events as JSON lines, [`AnswerView`] prints the result when the run ends.

mod answer;
mod board;
mod event_lines;
mod lines;
mod run_end;
mod sub_queries;
#[cfg(test)]
mod tests;
mod traits;

pub(crate) use answer::{AnswerView, answer_markdown, failure_json, result_json, stats_line};
pub(crate) use board::TerminalBoard;
pub(crate) use event_lines::EventLines;
pub(crate) use lines::{LineView, event_line};
pub(crate) use run_end::RunEnd;
pub(crate) use traits::RunView;
