//! Access control of a server: programs with its token are allowed, web pages are not.

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderName, HeaderValue, ORIGIN};
use subtle::ConstantTimeEq;

use crate::site::RequestRefusal;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Who may call the server.
#[derive(Clone)]
pub struct ServerAccess {
    /// The bearer token that every request needs, except those for an open path.
    pub token: String,
    /// The machines from which it can be called.
    pub reach: ServerReach,
}

/// The machines from which a server can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerReach {
    /// From this machine only; `Host` has to name it.
    Loopback,
    /// From anywhere; only the token protects it.
    Remote,
}

impl std::fmt::Debug for ServerAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

impl ServerAccess {
    /// Checks a request; an open path needs no token.
    pub(crate) fn check(&self, port: u16, is_open: bool, headers: &HeaderMap) -> Result<(), RequestRefusal> {
        let hosts = [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
        ];
        if self.reach == ServerReach::Loopback {
            let host = one(headers, &HOST).unwrap_or_default();
            if !hosts.iter().any(|ours| host.eq_ignore_ascii_case(ours)) {
                return Err(RequestRefusal::ForeignHost);
            }
        }
        if headers.contains_key(ORIGIN) {
            let origin = one(headers, &ORIGIN).unwrap_or_default();
            let is_ours = hosts
                .iter()
                .any(|ours| origin.eq_ignore_ascii_case(&format!("http://{ours}")));
            if !is_ours {
                return Err(RequestRefusal::WebPage);
            }
        }
        // Only browsers send it: a page of another site, or of another port of this machine.
        let sites = headers.get_all(&SEC_FETCH_SITE).iter();
        let is_foreign = |site: &HeaderValue| {
            let ours = ["same-origin", "none"];
            !site
                .to_str()
                .is_ok_and(|site| ours.iter().any(|ours| site.eq_ignore_ascii_case(ours)))
        };
        if sites.into_iter().any(is_foreign) {
            return Err(RequestRefusal::WebPage);
        }
        if is_open || self.knows(headers) {
            Ok(())
        } else {
            Err(RequestRefusal::NoToken)
        }
    }

    /// Whether a request has the token.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        let given = one(headers, &AUTHORIZATION).and_then(bearer).unwrap_or_default();
        !self.token.is_empty() && bool::from(given.as_bytes().ct_eq(self.token.as_bytes()))
    }
}

/// The value of a header that occurs exactly once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Heads<'a> = &'a [(&'static str, &'a str)];

    fn check(reach: ServerReach, is_open: bool, headers: Heads<'_>) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let access = ServerAccess {
            token: "s3cret".to_owned(),
            reach,
        };
        match access.check(8, is_open, &map) {
            Ok(()) => 200,
            Err(refusal) => refusal.status().as_u16(),
        }
    }

    #[test]
    fn a_table_of_header_sets() {
        let host = ("host", "127.0.0.1:8");
        let token = ("authorization", "Bearer s3cret");
        // Headers, then the status of an open path and that of any other.
        let cases: &[(Heads<'_>, u16, u16)] = &[
            (&[host, token], 200, 200),
            (&[("host", "LocalHost:8"), token], 200, 200),
            (
                &[("host", "[::1]:8"), ("authorization", "bearer s3cret")],
                200,
                200,
            ),
            (&[host, token, ("origin", "http://localhost:8")], 200, 200),
            (&[host, token, ("sec-fetch-site", "none")], 200, 200),
            (&[host, token, ("sec-fetch-site", "same-origin")], 200, 200),
            (&[host], 200, 401),
            (&[host, ("authorization", "Bearer s3cre")], 200, 401),
            (&[host, ("authorization", "Bearer s3cret2")], 200, 401),
            (&[host, ("authorization", "Bearer ")], 200, 401),
            (&[host, ("authorization", "Basic s3cret")], 200, 401),
            (&[host, ("authorization", "s3cret")], 200, 401),
            (&[host, ("cookie", "token=s3cret")], 200, 401),
            (&[host, token, token], 200, 401),
            (&[token], 403, 403),
            (&[host, host, token], 403, 403),
            (&[("host", "127.0.0.1:9"), token], 403, 403),
            (&[("host", "127.0.0.1"), token], 403, 403),
            (&[("host", "evil.example:8"), token], 403, 403),
            (&[("host", "127.0.0.1.evil.example:8"), token], 403, 403),
            (&[host, token, ("origin", "http://evil.example")], 403, 403),
            (&[host, token, ("origin", "https://127.0.0.1:8")], 403, 403),
            (&[host, token, ("origin", "http://127.0.0.1:9")], 403, 403),
            (&[host, token, ("origin", "null")], 403, 403),
            (&[host, token, ("sec-fetch-site", "cross-site")], 403, 403),
            (&[host, token, ("sec-fetch-site", "same-site")], 403, 403),
            (
                &[
                    host,
                    token,
                    ("sec-fetch-site", "none"),
                    ("sec-fetch-site", "cross-site"),
                ],
                403,
                403,
            ),
        ];
        for (headers, health, other) in cases {
            assert_eq!(
                check(ServerReach::Loopback, true, headers),
                *health,
                "{headers:?}"
            );
            assert_eq!(
                check(ServerReach::Loopback, false, headers),
                *other,
                "{headers:?}"
            );
        }
        let elsewhere = ("host", "build.example:8");
        assert_eq!(check(ServerReach::Remote, false, &[elsewhere, token]), 200);
        assert_eq!(check(ServerReach::Remote, false, &[elsewhere]), 401);
        let page = ("origin", "http://build.example:8");
        assert_eq!(check(ServerReach::Remote, false, &[elsewhere, token, page]), 403);
    }
}
