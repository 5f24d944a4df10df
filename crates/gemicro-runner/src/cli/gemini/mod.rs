//! Gemini CLI: one process per prompt ([`GeminiHeadless`]), or a long-running one ([`GeminiAcp`]).

mod acp;
mod acp_session;
mod acp_tools;
mod acp_wire;
mod headless;
mod result_reader;
mod resume;
mod setup;
mod stream;

pub use acp::GeminiAcp;
pub use headless::GeminiHeadless;
pub use resume::ResumeWay;
