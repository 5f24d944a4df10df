//! The arguments of `gemicro serve`.

use std::net::SocketAddr;

use clap::Args;

/// Arguments of `gemicro serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8737")]
    pub(crate) listen: SocketAddr,

    /// Allow an address that other machines can reach
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Run in this process, not in the background worker; runs stop with it and can be resumed
    #[arg(long)]
    pub(crate) no_resident: bool,
}
