//! The MCP server: offers agents, research, batches and runs as tools to other agents.
//!
//! [`serve_stdio`] and [`serve_http`] serve the protocol with an [`McpSetup`]. A tool call becomes a plan, the plan a
//! run at the [`RunService`](gemicro_engine::RunService), and the run's events the answer: within a fixed time, either
//! the result or the id of a run that continues. Nothing here executes a run, opens a store or reads settings.
//!
//! # Theory of operation
//!
//! The SDK runs each request as its own task and gives it a token that is cancelled when the client cancels the
//! request, when the connection closes, and when the answer was sent. Only the first may cancel a run, so that token is
//! not used: `calls` handles the notification itself. When a connection closes, the wait ends, but not the run. A
//! request with the id of an unanswered one is refused before the SDK sees it (`unique_ids`, and `http` for sessions),
//! because the SDK would answer only one of them. Tasks of the protocol are runs under another name, so a new process
//! can answer for the tasks of an old one.

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
