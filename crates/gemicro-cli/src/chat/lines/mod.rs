//! A chat for pipes, and for terminals in line mode.
//!
//! Messages come from stdin, only answers go to stdout; with `--format json` all news do, one object per line.

mod assembler;
mod line_writer;
mod reader;
mod talk;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use talk::{LineOptions, run};
