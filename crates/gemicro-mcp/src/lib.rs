//! The MCP server: agents, research, batches and runs as tools of other agents.
//!
//! [`serve_stdio`] and [`serve_http`] speak the protocol over a [`McpSetup`]. A tool call becomes a plan, the plan a run
//! at the [`Desk`](gemicro_engine::RunService), and the run's events the answer: within a fixed time, as the result or as the
//! id of a run that goes on. Nothing here carries a run out, opens a store or reads a setting.
//!
//! # Theory of operation
//!
//! The SDK runs each request as a task of its own and gives it a token that is cancelled when the client takes the
//! request back, when the connection closes, and when the answer was sent. Only the first may cancel a run, so that
//! token is not used: `calls` listens to the notification itself. A connection that closes ends the waiting, not the
//! run. A request with the id of one that is not answered yet is refused before the SDK sees it (`unique_ids`, and
//! `http` for sessions): the SDK would answer only one of them. Tasks of the protocol are runs under another name, so a new process answers for those of an old one.

mod answer;
mod arguments;
mod calls;
mod http;
mod progress;
mod prompts;
mod run_answer;
mod server;
mod setup;
mod stdio;
mod tasks;
mod tools;
mod unique_ids;
mod waiting;

pub use http::{ServerAccess, ServerReach, serve_http};
pub use server::McpConnection;
pub use setup::{BatchParameters, McpSetup};
pub use stdio::{serve, serve_stdio};
