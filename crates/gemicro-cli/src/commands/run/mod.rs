//! `gemicro run`: a coding pipeline, from a task in words to a reviewed branch.
//!
//! `log` says what happened in lines, `board` draws where it stands on a terminal, `gate` asks a person; all three are
//! told by events alone.

mod args;
mod board;
mod command;
mod dry_run;
mod gate;
mod log;
mod log_words;
mod ready;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use args::{ModeName, RunArgs};
pub(crate) use command::{RunDisplay, outcome, run, run_as, start, watch};
pub(crate) use gate::yes_or_no;
pub(crate) use ready::{ready, ready_again};
