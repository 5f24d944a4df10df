//! From arguments to a command: the tree of commands, the short form of `research`, and the help texts.

mod cli;
mod help;
mod parse;
mod short_form;
#[cfg(test)]
mod tests;

pub(crate) use cli::{Cli, Command, DataFormat, Format};
pub(crate) use parse::{Parsed, parse};
