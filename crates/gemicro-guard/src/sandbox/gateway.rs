//! How a command reaches the gateway, and what else it can reach.
//!
//! In tier full the command has its own network. The launcher creates the listener in it and passes it out (see
//! [`Control`](super::Control)): a socket belongs to the network it was created in, so the command reaches only the
//! process that accepts on it outside, and no process has to forward bytes. In tier landlock there is only one network:
//! gemicro listens itself, and the kernel lets the command connect only to that port.

use std::net::{Ipv4Addr, TcpListener};

use serde::{Deserialize, Serialize};

use super::profile::{Network, WriteMode};
use super::tier::Tier;

/// The port inside the command's own network, where nothing else listens.
const INSIDE: u16 = 4180;

/// The gateway's address as a command sees it. Created before the command, because its environment contains it.
#[derive(Debug)]
pub struct GatewayPort {
    port: u16,
    /// gemicro's own listener, if the command shares its network.
    listener: Option<TcpListener>,
}

impl GatewayPort {
    /// An address for one command in this tier and mode.
    ///
    /// # Errors
    /// When there is no port to listen on.
    pub fn open(tier: Tier, mode: WriteMode) -> std::io::Result<Self> {
        match (tier, mode) {
            (Tier::Full, WriteMode::ReadOnly | WriteMode::WorkspaceWrite) => Ok(Self {
                port: INSIDE,
                listener: None,
            }),
            (Tier::Full, WriteMode::DangerFullAccess) | (Tier::Landlock | Tier::Seatbelt | Tier::None, _) => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                let port = listener.local_addr()?.port();
                Ok(Self {
                    port,
                    listener: Some(listener),
                })
            }
        }
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `http://127.0.0.1:PORT`, the URL to give to the command.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }

    /// The network setting of a profile that reaches only this address.
    #[must_use]
    pub fn network(&self) -> Network {
        Network::Gateway { port: self.port }
    }

    /// The listener, if it exists before the command does; otherwise it arrives with
    /// [`Notice::Ready`](super::Notice::Ready).
    #[must_use]
    pub fn into_listener(self) -> Option<TcpListener> {
        self.listener
    }
}

/// Creates the listener inside the command's own network.
pub(super) fn listen_inside(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// What a command can really reach, to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkReach {
    /// No network at all, not even the gateway.
    Nothing,
    /// Only the gateway, and through it the model.
    Gateway,
    /// Everything: it was requested, or this kernel cannot restrict it.
    Everything,
}

/// What a command in this tier can reach, on a kernel with this version of Landlock.
pub(super) fn reach(tier: Tier, network: Network, landlock_abi: u8) -> NetworkReach {
    match (tier, network) {
        (Tier::None, _) | (_, Network::Open) => NetworkReach::Everything,
        (_, Network::None) => NetworkReach::Nothing,
        // Landlock restricts ports from version 4 on.
        (Tier::Landlock, Network::Gateway { .. }) if landlock_abi < 4 => NetworkReach::Everything,
        // The Seatbelt profile has no rule for one port: it blocks everything.
        (Tier::Seatbelt, Network::Gateway { .. }) => NetworkReach::Nothing,
        (Tier::Full | Tier::Landlock, Network::Gateway { .. }) => NetworkReach::Gateway,
    }
}
