//! The hosts that the user configured as forges.

use std::collections::BTreeMap;

use url::Url;

use super::kind::ForgeKind;

/// The configured hosts and their kinds. A host may be an alias from the user's SSH settings; then its API must be
/// given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgeHosts {
    named: BTreeMap<String, NamedHost>,
}

/// The configuration of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedHost {
    pub(super) kind: ForgeKind,
    pub(super) api: Option<Url>,
}

/// Why an API address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the API address of the forge {host} {problem}; write it like https://{host}/api/v4")]
pub struct ForgeHostsError {
    /// The host it was given for.
    pub host: String,
    /// What is wrong with it. The address itself is left out because it may contain a password.
    pub problem: &'static str,
}

impl ForgeHosts {
    /// Adds a host, such as `git.example.com` or `127.0.0.1:4000`. Without an API address, the usual one is used.
    ///
    /// # Errors
    /// When the API address is not a plain web address.
    pub fn name(mut self, host: &str, kind: ForgeKind, api: Option<&str>) -> Result<Self, ForgeHostsError> {
        let api = api.map(validate_url).transpose();
        let api = api.map_err(|problem| ForgeHostsError {
            host: host.to_owned(),
            problem,
        })?;
        self.named
            .insert(host.to_ascii_lowercase(), NamedHost { kind, api });
        Ok(self)
    }

    /// Finds a host; an entry with the port takes precedence.
    pub(super) fn find(&self, host: &str, port: Option<u16>) -> Option<&NamedHost> {
        let with_port = port.and_then(|port| self.named.get(&format!("{host}:{port}")));
        with_port.or_else(|| self.named.get(host))
    }
}

fn validate_url(api: &str) -> Result<Url, &'static str> {
    let url = Url::parse(api).map_err(|_| "is not a URL")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("is not an http or https URL");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("contains a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("contains a query or fragment");
    }
    Ok(url)
}
