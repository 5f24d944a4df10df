//! `gemicro batch`: many tasks submitted at once, polled by one id.
//!
//! `command` is the entry point; `submit`, `poll`, `wait`, `results`, `cancel`, `retry`, `list`, `types` and `schema`
//! are its subcommands. They use a `service` for batches and know nothing behind it; `input` reads a batch, `settings`
//! says how it may work, `print_answer` prints an answer; `resume` implements `gemicro resume` for a batch.

mod cancel;
mod command;
mod input;
mod list;
mod poll;
mod print_answer;
mod results;
mod resume;
mod retry;
mod schema;
mod server;
mod service;
mod settings;
mod submit;
mod types;
mod wait;

pub(crate) use command::{BatchArgs, run};
pub(crate) use print_answer::{IN_PART, gist, is_in_part, outcome, print, render_answer, summary};
pub(crate) use resume::{BatchResume, resume};
pub(crate) use settings::{llm, request};
