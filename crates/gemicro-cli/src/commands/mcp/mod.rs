//! `gemicro mcp`: the MCP server, on stdin and stdout or over HTTP.

mod args;
mod command;
mod lazy_here;
mod research;
mod token;

pub(crate) use args::McpArgs;
pub(crate) use command::run;
