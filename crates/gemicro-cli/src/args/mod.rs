//! Turns arguments into a command: the tree of commands, the short form of `research`, and the help texts.

mod cli;
mod help;
mod options;
mod parse;
mod short_form;
#[cfg(test)]
mod tests;

pub(crate) use cli::{Command, DataFormat, PrintFormat, tree};
pub(crate) use options::{log_options, spending_options, store_options};
pub(crate) use parse::{ParsedArguments, named_command, parse};
pub(crate) use short_form::is_question;
