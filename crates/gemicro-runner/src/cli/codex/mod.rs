//! Codex CLI: `codex exec --json`, one process per prompt.

mod exec;
mod result_reader;
mod stream;

pub use exec::Codex;
