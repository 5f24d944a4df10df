//! Who may speak to the server: whoever has the token and does not come from a web page.

use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri};
use subtle::ConstantTimeEq;

/// Where the protocol is served.
pub(super) const PATH: &str = "/mcp";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Who may speak to the server.
#[derive(Clone)]
pub struct HttpAccess {
    /// What every request has to bring as its bearer token.
    pub token: String,
    /// From where.
    pub reach: Reach,
}

/// From where a server may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// From this machine only; `Host` has to name it.
    Loopback,
    /// From anywhere; the token alone protects it.
    Remote,
}

impl std::fmt::Debug for HttpAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpAccess")
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

impl HttpAccess {
    /// Whether a request may pass: else its status and what to say.
    pub(super) fn check(
        &self,
        port: u16,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), (StatusCode, &'static str)> {
        let hosts = [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
        ];
        if self.reach == Reach::Loopback {
            let host = one(headers, &HOST).unwrap_or_default();
            if !hosts.iter().any(|ours| host.eq_ignore_ascii_case(ours)) {
                return Err((StatusCode::FORBIDDEN, "the Host header does not name this server"));
            }
        }
        if headers.contains_key(ORIGIN) {
            let origin = one(headers, &ORIGIN).unwrap_or_default();
            let is_ours = hosts
                .iter()
                .any(|ours| origin.eq_ignore_ascii_case(&format!("http://{ours}")));
            if !is_ours {
                return Err((StatusCode::FORBIDDEN, "web pages may not speak to this server"));
            }
        }
        if one(headers, &SEC_FETCH_SITE) == Some("cross-site") {
            return Err((StatusCode::FORBIDDEN, "web pages may not speak to this server"));
        }
        let given = one(headers, &AUTHORIZATION).and_then(bearer).unwrap_or_default();
        let is_known = !self.token.is_empty() && bool::from(given.as_bytes().ct_eq(self.token.as_bytes()));
        if !is_known {
            return Err((
                StatusCode::UNAUTHORIZED,
                "the bearer token is missing or wrong; `gemicro mcp --http` says where it is",
            ));
        }
        if uri.path() != PATH {
            return Err((StatusCode::NOT_FOUND, "the protocol is served at /mcp"));
        }
        Ok(())
    }
}

/// A header that is there exactly once.
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

    fn check(reach: Reach, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let access = HttpAccess {
            token: "s3cret".to_owned(),
            reach,
        };
        let uri: Uri = path.parse().expect("an address");
        match access.check(8, &uri, &map) {
            Ok(()) => 200,
            Err((status, _)) => status.as_u16(),
        }
    }

    #[test]
    fn a_table_of_header_sets() {
        let host = ("host", "127.0.0.1:8");
        let token = ("authorization", "Bearer s3cret");
        let cases: &[(&[(&'static str, &str)], u16)] = &[
            (&[host, token], 200),
            (&[("host", "LocalHost:8"), token], 200),
            (&[("host", "[::1]:8"), ("authorization", "bearer s3cret")], 200),
            (&[host, token, ("origin", "http://localhost:8")], 200),
            (&[host, token, ("sec-fetch-site", "none")], 200),
            (&[host], 401),
            (&[host, ("authorization", "Bearer s3cre")], 401),
            (&[host, ("authorization", "Bearer ")], 401),
            (&[host, ("authorization", "Basic s3cret")], 401),
            (&[host, token, token], 401),
            (&[token], 403),
            (&[host, host, token], 403),
            (&[("host", "127.0.0.1:9"), token], 403),
            (&[("host", "127.0.0.1"), token], 403),
            (&[("host", "evil.example:8"), token], 403),
            (&[("host", "127.0.0.1.evil.example:8"), token], 403),
            (&[host, token, ("origin", "http://evil.example")], 403),
            (&[host, token, ("origin", "https://127.0.0.1:8")], 403),
            (&[host, token, ("origin", "null")], 403),
            (&[host, token, ("sec-fetch-site", "cross-site")], 403),
        ];
        for (headers, status) in cases {
            assert_eq!(check(Reach::Loopback, "/mcp", headers), *status, "{headers:?}");
        }
        assert_eq!(check(Reach::Loopback, "/", &[host, token]), 404);
        assert_eq!(check(Reach::Loopback, "/mcp/../x", &[host, token]), 404);
        let elsewhere = ("host", "build.example:8");
        assert_eq!(check(Reach::Remote, "/mcp", &[elsewhere, token]), 200);
        assert_eq!(check(Reach::Remote, "/mcp", &[elsewhere]), 401);
    }
}
