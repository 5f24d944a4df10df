//! Who may pass, and where to: host, path and token of a request.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HOST, HeaderMap, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Uri};

use super::account::GrantAccount;
use super::gateway::GatewayState;
use super::problem::GatewayProblem;
use super::serving::HEAD_BYTES;
use super::tool::is_tool;
use super::wire::{AgentApi, GatewayRoute};

/// A request that may pass.
pub(super) struct AdmittedRequest {
    pub(super) step: Arc<GrantAccount>,
    pub(super) route: GatewayRoute,
    /// The parameters that are passed on.
    pub(super) query: Option<String>,
}

/// Checks a request; a problem comes with the API whose words it is told in.
pub(super) fn admit(
    gateway: &GatewayState,
    parts: &Parts,
) -> Result<AdmittedRequest, (AgentApi, GatewayProblem)> {
    let guess = guess(parts);
    let path = check(parts).map_err(|problem| (guess, problem))?;
    let step = tokens(&parts.headers).find_map(|token| gateway.find(token));
    let Some(step) = step else {
        return Err((guess, GatewayProblem::unauthorised()));
    };
    let wire = step.grant.wire;
    if is_tool(&path) && step.grant.tool.is_some() {
        let (route, query) = (GatewayRoute::tool(), None);
        return Ok(AdmittedRequest { step, route, query });
    }
    let Some(route) = wire.rules().route(&parts.method, &path) else {
        let others = [AgentApi::Gemini, AgentApi::Anthropic, AgentApi::OpenAi];
        let is_foreign = others
            .into_iter()
            .any(|other| other.rules().route(&parts.method, &path).is_some());
        // The token opens its own API and no other.
        let problem = if is_foreign {
            GatewayProblem::unauthorised()
        } else {
            GatewayProblem::not_found()
        };
        return Err((if is_foreign { guess } else { wire }, problem));
    };
    let query = parts
        .uri
        .query()
        .and_then(|query| keep_parameters(query, wire.rules().query()));
    Ok(AdmittedRequest { step, route, query })
}

/// Bytes of a request's head. hyper looks only before it reads on, so a head that comes at once can be longer.
fn head_bytes(parts: &Parts) -> usize {
    let fields = parts.headers.iter();
    let fields: usize = fields
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    let path = parts.uri.path_and_query().map_or(0, |path| path.as_str().len());
    parts.method.as_str().len() + path + fields
}

/// The parts of the path, when host, form and path of the request are in order.
fn check(parts: &Parts) -> Result<Vec<&str>, GatewayProblem> {
    if head_bytes(parts) > HEAD_BYTES {
        return Err(GatewayProblem::new(
            431,
            "head_too_long",
            "request headers are larger than 64 KiB",
        ));
    }
    if parts.method == Method::CONNECT || !is_origin_form(&parts.uri) {
        return Err(GatewayProblem::bad("the gateway of gemicro is no proxy"));
    }
    let mut hosts = parts.headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    if hosts.next().is_some() || !host.is_some_and(is_loopback) {
        return Err(GatewayProblem::new(
            403,
            "wrong_host",
            "the gateway of gemicro answers to loopback names only",
        ));
    }
    let foreign = parts.headers.get_all(ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let host = origin.split_once("://").map(|(_, host)| host);
        !host.is_some_and(is_loopback)
    });
    if foreign {
        return Err(GatewayProblem::new(
            403,
            "wrong_origin",
            "the gateway of gemicro serves no web page",
        ));
    }
    let path = parts.uri.path();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:@".contains(&byte);
    if !path.starts_with('/') || !path.bytes().all(plain) {
        return Err(GatewayProblem::bad(
            "the path holds characters that are not served",
        ));
    }
    if path == "/" {
        return Ok(Vec::new());
    }
    let parts: Vec<&str> = path[1..].split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(GatewayProblem::bad("the path is not in its plain form"));
    }
    Ok(parts)
}

fn is_origin_form(uri: &Uri) -> bool {
    uri.scheme().is_none() && uri.authority().is_none()
}

/// Whether this names this machine, with or without a port.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) => (name, port.strip_prefix(':').or(port.is_empty().then_some("0"))),
            None => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, Some("0")),
        },
    };
    let is_port = port.is_some_and(|port| port.parse::<u16>().is_ok() && !port.starts_with('+'));
    let is_name =
        name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    is_port && is_name
}

/// Whatever a client gives as its key, wherever its API puts it. Never from the address.
fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let named = ["x-goog-api-key", "x-api-key"]
        .into_iter()
        .flat_map(|name| headers.get_all(name))
        .map(|value| value.as_bytes());
    let bearers = headers.get_all(AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked("bearer ".len())?;
        scheme
            .eq_ignore_ascii_case(b"bearer ")
            .then(|| token.trim_ascii())
    });
    named.chain(bearers)
}

/// The API that a stranger most likely speaks; only the words of an error depend on it.
fn guess(parts: &Parts) -> AgentApi {
    let path = parts.uri.path();
    let has = |name: &str| parts.headers.contains_key(name);
    if has("x-goog-api-key") || path.starts_with("/v1beta") || path.contains(':') {
        AgentApi::Gemini
    } else if has("x-api-key")
        || has("anthropic-version")
        || path.starts_with("/v1/messages")
        || parts.method == Method::HEAD
    {
        AgentApi::Anthropic
    } else {
        AgentApi::OpenAi
    }
}

/// The parameters with these names, as they were written.
fn keep_parameters(query: &str, names: &[&str]) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%=+:".contains(&byte);
    let pairs: Vec<&str> = query
        .split('&')
        .filter(|pair| {
            let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
            names.contains(&name) && pair.bytes().all(plain)
        })
        .collect();
    (!pairs.is_empty()).then(|| pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for good in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "0.0.0.0",
            "10.0.0.1",
            "[::]",
            "::1",
            "[::1",
            "[::1]x",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "127.1",
            "a@localhost",
            "localhost:+80",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    #[test]
    fn parameters_pass_by_name() {
        let names = &["alt", "pageSize"];
        for (query, expected) in [
            ("alt=sse", Some("alt=sse")),
            (
                "key=K&alt=sse&pageSize=3&access_token=x",
                Some("alt=sse&pageSize=3"),
            ),
            ("key=K", None),
            ("", None),
            ("alt=sse#x", None),
            ("ALT=sse", None),
        ] {
            assert_eq!(keep_parameters(query, names).as_deref(), expected, "{query}");
        }
    }
}
