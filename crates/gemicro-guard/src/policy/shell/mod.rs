//! Shell commands: parsed by tree-sitter-bash, walked statement by statement, judged command by command.
//!
//! `syntax` parses and refuses what is not understood; `word` removes quotes; `walk` visits every statement
//! with a [`ShellState`](state::ShellState) (possible working directories, tainted environment); `program` judges one
//! simple command; `wrapper`, `nested` and `builtin` see through what starts other commands, `writer` knows
//! which paths a program writes. `reader` is the parser for other crates.

mod builtin;
mod line;
mod nested;
mod options;
mod plain;
mod program;
pub mod reader;
mod redirect;
mod run;
mod state;
mod syntax;
mod variable;
mod walk;
mod word;
mod wrapper;
mod writer;

pub(super) use line::{line, words};
pub(super) use program::Program;
pub(super) use state::ShellState;
pub(super) use word::ShellWord;
