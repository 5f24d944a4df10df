//! Claude Code: one process that reads prompts as JSON lines, asks for permissions and can be interrupted.

mod claude_code;
mod result_reader;
mod stream;
mod wire;

pub use claude_code::ClaudeCode;
