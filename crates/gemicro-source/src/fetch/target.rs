//! A URL that passed the rules: [`Target`]. Parsed as browsers do, so that each address has only one form.
//!
//! `http://2130706433`, `0x7f.1`, `127。0。0。1` and `%31%32%37.0.0.1` are all 127.0.0.1 here. Names are not
//! resolved in this file; their addresses are checked by `lookup`.

use std::net::IpAddr;

use gemicro_client::address_refusal;
use url::{Host, Url};

use super::error::{FetchError, shown_text};
use super::rules::{FetchRules, WEB_PORTS};

/// Maximum length of a URL.
const MAX_URL_BYTES: usize = 8 << 10;

/// Endings of names that only have a meaning inside a network (RFC 6761, 6762 and 8375).
const LOCAL_ENDINGS: [&str; 11] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
];

/// A URL that may be requested, once the addresses of its name are checked.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Without fragment and without user info.
    pub(super) url: Url,
    pub(super) host: Host<String>,
    pub(super) port: u16,
    /// The user listed this host: its addresses may be private.
    pub(super) is_listed: bool,
}

impl Target {
    /// Checks a URL from a user or a model.
    pub(super) fn parse(rules: &FetchRules, text: &str) -> Result<Self, FetchError> {
        check_length(text)?;
        let url = Url::parse(text).map_err(|error| bad_url(text, &error.to_string()))?;
        Self::check(rules, url)
    }

    /// Checks a redirect of this target's server.
    pub(super) fn follow(&self, rules: &FetchRules, location: &str) -> Result<Self, FetchError> {
        check_length(location)?;
        let url = self.url.join(location);
        let url = url.map_err(|error| bad_url(location, &error.to_string()))?;
        let next = Self::check(rules, url)?;
        if self.url.scheme() == "https" && next.url.scheme() != "https" {
            return Err(FetchError::SchemeNotAllowed {
                url: shown_text(next.url.as_str()),
                why: "a redirect from https to http is not followed",
            });
        }
        Ok(next)
    }

    fn check(rules: &FetchRules, mut url: Url) -> Result<Self, FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::SchemeNotAllowed {
                url: shown_text(url.as_str()),
                why: "only https URLs can be fetched",
            });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad_url(url.as_str(), "it contains a user name or password"));
        }
        url.set_fragment(None);
        let host = take_host(&mut url)?;
        let port = url.port_or_known_default().unwrap_or_default();
        let is_listed = rules.lists(&host, port);
        if !is_listed {
            check_host(&host)?;
            if !WEB_PORTS.contains(&port) {
                let host = host.to_string();
                return Err(FetchError::PortNotAllowed { host, port });
            }
            if url.scheme() != "https" {
                return Err(FetchError::SchemeNotAllowed {
                    url: shown_text(url.as_str()),
                    why: "http is allowed only for hosts that the user lists",
                });
            }
        }
        Ok(Self {
            url,
            host,
            port,
            is_listed,
        })
    }

    /// The IP address in the URL, if its host is one.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        match self.host {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }
}

/// The host without a trailing dot: `localhost.` is `localhost`.
fn take_host(url: &mut Url) -> Result<Host<String>, FetchError> {
    let no_host = |url: &Url| bad_url(url.as_str(), "it has no host");
    if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')) {
        let name = name.to_owned();
        url.set_host(Some(&name)).map_err(|_| no_host(url))?;
    }
    let host = url.host().ok_or_else(|| no_host(url))?.to_owned();
    if let Host::Domain(name) = &host {
        let well_formed = name.len() <= 253 && name.split('.').all(|part| (1..=63).contains(&part.len()));
        if !well_formed {
            return Err(bad_url(url.as_str(), "its host is not a valid name"));
        }
    }
    Ok(host)
}

/// Checks a host without resolving it.
fn check_host(host: &Host<String>) -> Result<(), FetchError> {
    let name = match host {
        Host::Ipv4(address) => return check_address(&host.to_string(), (*address).into()),
        Host::Ipv6(address) => return check_address(&host.to_string(), (*address).into()),
        Host::Domain(name) => name,
    };
    let is_local = |ending: &str| {
        let before = name.strip_suffix(ending);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let why = if LOCAL_ENDINGS.iter().any(|ending| is_local(ending)) {
        "names with this ending are local"
    } else if !name.contains('.') {
        "a name without a dot is local"
    } else {
        return Ok(());
    };
    Err(FetchError::NameNotAllowed {
        host: name.clone(),
        why,
    })
}

/// Refuses what is not a public address.
pub(super) fn check_address(host: &str, address: IpAddr) -> Result<(), FetchError> {
    match address_refusal(address) {
        None => Ok(()),
        Some(why) => Err(FetchError::AddressNotAllowed {
            host: host.to_owned(),
            address,
            why,
        }),
    }
}

fn check_length(text: &str) -> Result<(), FetchError> {
    if text.len() > MAX_URL_BYTES {
        let why = format!("it is longer than {MAX_URL_BYTES} bytes");
        return Err(bad_url(text, &why));
    }
    Ok(())
}

pub(super) fn bad_url(url: &str, why: &str) -> FetchError {
    FetchError::BadUrl {
        url: shown_text(url),
        why: why.to_owned(),
    }
}
