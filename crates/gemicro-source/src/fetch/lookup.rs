//! Resolves names to addresses: the trait [`Lookup`], and [`addresses_of`], which checks every answer.

use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;
use tokio::net::lookup_host;

use super::error::FetchError;
use super::target::{Target, check_address};

/// Looks up the addresses of a name. Tests use a stand-in, whose answers are checked like any other.
pub trait Lookup: Send + Sync {
    /// All addresses of a name.
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Asks the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Resolves a target once. One forbidden address rejects the whole answer: a name that is public and private at the
/// same time is suspicious.
pub(super) async fn addresses_of(
    lookup: &dyn Lookup,
    target: &Target,
) -> Result<Vec<SocketAddr>, FetchError> {
    let host = target.host.to_string();
    let found = match target.literal() {
        Some(address) => vec![address],
        None => {
            let answer = lookup.lookup(&host).await;
            answer.map_err(|error| unreachable_host(&host, &error.to_string()))?
        }
    };
    if found.is_empty() {
        return Err(unreachable_host(&host, "the name has no address"));
    }
    if !target.is_listed {
        for address in &found {
            check_address(&host, *address)?;
        }
    }
    Ok(found
        .into_iter()
        .map(|address| SocketAddr::new(address, target.port))
        .collect())
}

fn unreachable_host(host: &str, reason: &str) -> FetchError {
    FetchError::Unreachable {
        host: host.to_owned(),
        reason: reason.to_owned(),
    }
}
