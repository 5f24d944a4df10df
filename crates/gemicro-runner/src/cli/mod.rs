//! The adapters for CLIs, one folder each: arguments, environment, settings, stream and results.
//!
//! The quirks of a CLI stay in its folder. They were found by running the real programs.

mod claude;
mod codex;
mod gemini;
mod json_line;

pub use claude::ClaudeCode;
pub use codex::Codex;
pub use gemini::{GeminiAcp, GeminiHeadless, ResumeWay};
