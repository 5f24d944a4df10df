//! The builders: [`builder`] and [`builder_for`].
//!
//! reqwest is built without a TLS library of its own choice: [`builder`] selects ring, which compiles in
//! seconds. A client that is built any other way panics, so clippy forbids it.

use std::net::IpAddr;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

/// A builder that follows no redirects: a key, a token or a prompt must only reach the address it is meant for.
pub fn builder() -> ClientBuilder {
    // An error means that a provider is already installed; that one is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[expect(clippy::disallowed_methods, reason = "the one place where clients start")]
    Client::builder().redirect(Policy::none())
}

/// A builder for one address: no proxy for this machine, and no certificates if TLS is not used.
pub fn builder_for(base: &Url) -> ClientBuilder {
    let mut builder = builder();
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" {
        // Loading the trusted certificates takes time, and a machine may have none.
        builder = builder.tls_certs_only([]);
    }
    builder
}

fn is_loopback(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine() {
        for (address, expected) in [
            ("http://localhost:1/", true),
            ("http://127.9.0.1/", true),
            ("http://[::1]:8/", true),
            ("http://localhost.example/", false),
            ("https://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&address.parse().unwrap()), expected, "{address}");
        }
    }

    /// Fails if no TLS provider is chosen.
    #[test]
    fn a_client_can_be_built() {
        builder_for(&"https://example.com".parse().unwrap())
            .build()
            .unwrap();
    }
}
