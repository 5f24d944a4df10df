//! `gemicro mcp`: the MCP server, on stdin and stdout or over HTTP.

mod args;
mod batch;
mod command;
mod lazy_local_run_service;
mod research;

pub(crate) use args::McpArgs;
pub(crate) use batch::request as batch;
pub(crate) use command::{ServerRunService, run};
pub(crate) use research::plan;
