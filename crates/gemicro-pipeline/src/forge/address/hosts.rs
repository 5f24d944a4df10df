//! The hosts that the user named as forges.

use std::collections::BTreeMap;

use url::Url;

use super::kind::ForgeKind;

/// Hosts with what they are. A host may be an alias of the user's SSH settings; then its API must be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgeHosts {
    named: BTreeMap<String, NamedHost>,
}

/// What the user said of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedHost {
    pub(super) kind: ForgeKind,
    pub(super) api: Option<Url>,
}

/// Why an API address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the API address of the forge {host} is {problem}; write it like https://{host}/api/v4")]
pub struct ForgeHostsError {
    /// The host it was given for.
    pub host: String,
    /// What is wrong with it. The address itself is not repeated: it may have a password in it.
    pub problem: &'static str,
}

impl ForgeHosts {
    /// Names a host, such as `git.example.com` or `127.0.0.1:4000`. Without an API address it is the usual one.
    ///
    /// # Errors
    /// When the API address is no plain web address.
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

    /// Finds a host, with its port first.
    pub(super) fn find(&self, host: &str, port: Option<u16>) -> Option<&NamedHost> {
        let with_port = port.and_then(|port| self.named.get(&format!("{host}:{port}")));
        with_port.or_else(|| self.named.get(host))
    }
}

fn validate_url(api: &str) -> Result<Url, &'static str> {
    let url = Url::parse(api).map_err(|_| "no address")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("no http or https address");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("with a user or password in it");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("with a query or fragment");
    }
    Ok(url)
}
