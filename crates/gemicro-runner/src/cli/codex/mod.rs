//! Codex CLI: `codex exec --json`, one process per prompt.

mod exec;
mod reading;
mod stream;

pub use exec::Codex;
