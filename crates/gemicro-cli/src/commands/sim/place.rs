//! The address that a simulator listens on: on this machine only.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;
use gemicro_event::ErrorKind;
use gemicro_sim::StartError;

use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The address; it must be a loopback address
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
}

impl PlaceArgs {
    /// The address to listen on.
    pub(super) fn addr(&self) -> Result<SocketAddr, CommandError> {
        let ip = match self.host.trim_matches(['[', ']']) {
            "localhost" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            host => host.parse().ok(),
        };
        match ip {
            Some(ip) if ip.is_loopback() => Ok(SocketAddr::new(ip, self.port)),
            Some(_) => Err(CommandError::usage(
                format!(
                    "other machines could reach {}; the simulator listens only on this machine",
                    self.host
                ),
                "remove --host, or use 127.0.0.1 or ::1; `ssh -L` forwards it to another machine",
            )),
            None => Err(CommandError::usage(
                format!("`{}` is not an address", self.host),
                "remove --host, or use 127.0.0.1, ::1 or localhost",
            )),
        }
    }
}

/// Why it cannot listen, and what to do.
pub(super) fn not_started(error: &StartError) -> CommandError {
    let StartError::Listen { addr, source } = error else {
        return CommandError::usage(error.to_string(), "remove --host, or use 127.0.0.1 or ::1");
    };
    match source.kind() {
        io::ErrorKind::AddrInUse => CommandError::new_failure(
            ErrorKind::Conflict,
            format!("another program is already listening on {addr}"),
            "choose another --port, or remove it for a free one",
        ),
        io::ErrorKind::PermissionDenied => CommandError::new_failure(
            ErrorKind::PermissionDenied,
            error.to_string(),
            "choose a --port above 1023, or remove it for a free one",
        ),
        io::ErrorKind::AddrNotAvailable => CommandError::usage(
            error.to_string(),
            "this machine does not have that address: remove --host",
        ),
        _ => CommandError::new_failure(
            ErrorKind::Internal,
            error.to_string(),
            "choose another --port, or remove it for a free one",
        ),
    }
}
