//! A chat on the full terminal.
//!
//! [`ScreenState`](state::ScreenState) is a fold of news and keys, and draws itself; [`run()`] is the thin loop around
//! it. External text is made harmless when it becomes a span (`wrap`), or is cut to a line.

mod draw;
mod editor;
mod keys;
mod layout;
mod markdown;
mod question;
mod run;
mod segments;
mod state;
mod status;
mod table;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod transcript;
mod wrap;

pub(crate) use run::run;
