//! What may be fetched, and how much: [`FetchRules`] and the hosts a user lists, [`AllowedHost`].
//!
//! Nothing here touches the network.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;
use std::time::Duration;

use url::Host;

/// Ports that are allowed without being listed.
pub(super) const WEB_PORTS: [u16; 2] = [80, 443];

/// Rules for fetching. Hosts that are not listed are reached over https, at public addresses, on ports 443 and 80.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRules {
    /// Hosts for which the user allows http and private addresses.
    pub allowed: Vec<AllowedHost>,
    /// Time limit for the whole fetch: names, connections, redirects, body.
    pub timeout: Duration,
    /// Maximum size of the body in bytes; a longer one is an error.
    pub max_bytes: u64,
    /// Maximum number of redirects.
    pub max_redirects: u8,
}

impl Default for FetchRules {
    fn default() -> Self {
        Self {
            allowed: Vec::new(),
            timeout: Duration::from_secs(15),
            max_bytes: 2 << 20,
            max_redirects: 5,
        }
    }
}

impl FetchRules {
    /// Whether the user listed this host with this port.
    pub(super) fn lists(&self, host: &Host<String>, port: u16) -> bool {
        self.allowed.iter().any(|allowed| allowed.covers(host, port))
    }
}

/// A host that the user lists: `127.0.0.1:8080`, `intranet.example`, `[::1]:80`.
///
/// It matches exactly this name or address as URLs write it, never subdomains and never other names of the same
/// machine. Without a port it matches ports 80 and 443; any other port has to be given, so that listing a machine does
/// not open all of its services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: Host<String>,
    port: Option<u16>,
}

impl AllowedHost {
    fn covers(&self, host: &Host<String>, port: u16) -> bool {
        let port_fits = match self.port {
            Some(listed) => listed == port,
            None => WEB_PORTS.contains(&port),
        };
        port_fits && self.host == *host
    }
}

/// The error for text that does not name a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a host or host:port (wildcards are not supported); for example `127.0.0.1:8080` or \
     `intranet.example`"
)]
pub struct BadAllowedHost {
    /// The text as given.
    pub text: String,
}

impl FromStr for AllowedHost {
    type Err = BadAllowedHost;

    fn from_str(text: &str) -> Result<Self, BadAllowedHost> {
        let bad = || BadAllowedHost {
            text: text.to_owned(),
        };
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Ok(Self {
                host: Host::Ipv6(address),
                port: None,
            });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(parse_port(port).ok_or_else(bad)?)),
            _ => (text, None),
        };
        // A wildcard would silently match nothing.
        if host.contains('*') {
            return Err(bad());
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        let host = Host::parse(host).map_err(|_| bad())?;
        Ok(Self { host, port })
    }
}

/// Digits only: `u16::from_str` would take a plus sign.
fn parse_port(text: &str) -> Option<u16> {
    let port = text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)?;
    port.parse().ok().filter(|port| *port != 0)
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}
