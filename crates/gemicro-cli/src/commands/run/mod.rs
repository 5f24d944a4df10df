//! `gemicro run`: a coding pipeline, from a task in words to a reviewed branch.
//!
//! `log` prints what happened as lines, `board` draws the progress on a terminal, `gate` asks a person; all three are
//! driven only by events.

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
