//! What `serve` takes.

use std::net::SocketAddr;

use clap::Args;

/// Arguments of `gemicro serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address to serve at; port 0 means any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8737")]
    pub(crate) listen: SocketAddr,

    /// Allow an address that other machines can reach
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Carry runs out in this process, not in the resident worker: they stop with it and can be resumed
    #[arg(long)]
    pub(crate) no_resident: bool,
}
