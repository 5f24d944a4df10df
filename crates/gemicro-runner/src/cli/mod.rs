//! The CLIs, one folder each: arguments, environment and settings; the stream; what its ends mean.
//!
//! Whatever is odd about a CLI stays in its folder. Facts and traps come from running the real programs.

mod claude;
mod codex;
mod gemini;
mod json_line;

pub use claude::ClaudeCode;
pub use codex::Codex;
pub use gemini::{GeminiAcp, GeminiHeadless, ResumeWay};
