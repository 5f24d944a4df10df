//! Runs coding-agent CLIs: starts them, parses their streams, and judges their results.
//!
//! # Theory of operation
//!
//! An [`AgentRequest`] describes a run. An [`AgentCli`] turns it into an [`Invocation`], which is plain data, and a
//! [`Dialogue`], which turns the process's output into [`AgentItem`]s and produces its input. The items of a turn are
//! collected in a [`TurnTranscript`]. The CLI judges it, together with the exit and the end of standard error, as an
//! [`AgentEnd`] or a failure. All of this is pure: no process, no file, no clock. `supervise` does the rest: it finds
//! the program ([`locate`]), writes its home ([`AgentHome`]), starts the process in its sandbox and ends it;
//! `supervise_warm` keeps a process running if it can take another turn.
//!
//! If a request has [`GuardedSettings`], the CLI asks the guard's policy before it uses a tool.
//!
//! This crate has no knowledge of models, pipelines or storage.

mod agent_cli;
mod cli;
mod dialogue;
mod end;
pub mod environment;
mod guarded_settings;
mod home;
mod invocation;
mod item;
mod judge;
mod lines;
mod locate;
mod mcp_server;
mod modes;
mod output;
mod permission;
mod prompt;
mod protocol;
mod request;
mod session;
#[cfg(target_os = "linux")]
pub mod supervise;
mod transcript;
mod trouble;
mod version;

pub use agent_cli::{AgentCli, CliKind};
pub use cli::{ClaudeCode, Codex, GeminiAcp, GeminiHeadless, ResumeWay};
pub use dialogue::{Dialogue, MAX_LINE_BYTES};
pub use end::{AgentEnd, ProcessEnd, ProcessExit};
pub use guarded_settings::GuardedSettings;
pub use home::{AgentHome, empty_folder};
pub use invocation::{CliInput, Invocation, SettingsFile};
pub use item::{AgentItem, EndClaim, RawLine, ToolStatus, TurnEnd, UsageScope};
pub use locate::{LocatedProgram, hidden_target, locate};
pub use mcp_server::{McpReached, McpServer, ReportedCall};
pub use permission::{PermissionAnswer, PermissionId, PermissionRequest};
pub use prompt::{AgentPrompt, MAX_PROMPT_BYTES};
pub use protocol::Cancel;
pub use request::{AgentRequest, CliSandboxMode, GatewayToken, ModelAccess, ToolApproval};
pub use session::{Session, SessionId};
pub use transcript::TurnTranscript;
pub use version::Version;
