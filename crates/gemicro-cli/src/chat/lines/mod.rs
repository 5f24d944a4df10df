//! A chat for pipes, and for terminals that are asked for lines.
//!
//! Messages come from stdin, answers alone go to stdout; with `--format json` all news do, one object per line.

mod assembler;
mod line_writer;
mod reader;
mod talk;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use talk::{LineOptions, run};
