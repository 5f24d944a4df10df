//! `gemicro conversations`: logs of turns that are kept whole, and the prompts that would be sent of them.
//!
//! `command` is the way in; `import`, `list`, `show`, `export`, `rename`, `delete` and `render` are its verbs; `open`
//! finds what they work on, `transcript` reads files of turns.

mod command;
mod delete;
mod export;
mod import;
mod list;
mod open;
mod rename;
mod render;
mod show;
mod transcript;

pub(crate) use command::{ConversationsArgs, run};
pub(crate) use show::show_stored;
