//! A chat for pipes, and for terminals that are asked for lines.
//!
//! Messages come from stdin, answers alone go to stdout; with `--format json` all news do, one object per line.

mod assembler;
mod reader;
mod talk;
#[cfg(test)]
mod tests;
mod voice;
mod wire;

pub(crate) use talk::{LineOptions, run};
