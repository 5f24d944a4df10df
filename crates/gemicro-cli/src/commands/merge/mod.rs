//! `gemicro merge`: the merge queue, from finished branches to a target whose checks pass at every merge.
//!
//! `candidates` resolves the names on the command line, `view` shows the queue at work.

mod args;
mod candidates;
mod command;
mod view;

pub(crate) use args::MergeArgs;
pub(crate) use command::{MergeDisplay, run, watch};
