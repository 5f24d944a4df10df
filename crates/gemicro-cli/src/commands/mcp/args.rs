//! The arguments of `gemicro mcp`.

use std::net::SocketAddr;

use clap::Args;

use crate::config::readers::parse_seconds;

/// Arguments of `gemicro mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Serve streamable HTTP at this address, such as 127.0.0.1:8750, instead of stdio
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) http: Option<SocketAddr>,

    /// Allow an address that other machines can reach
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,

    /// Answer every call within this many seconds, with the result or the id of a run in progress
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, default_value = "45")]
    pub(crate) answer_within: u64,

    /// Use this agent or model while a provider limits requests [default: wait for the limit to end]
    #[arg(long, value_name = "NAME")]
    pub(crate) fallback: Option<String>,

    /// Run in this process, not in the background worker; runs stop with it and can be resumed
    #[arg(long)]
    pub(crate) no_resident: bool,
}
