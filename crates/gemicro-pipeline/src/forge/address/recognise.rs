//! Recognises the forge of a remote by its address.
//!
//! The main function is [`recognise`]. It sends no request, so a server with a neutral name must be configured by the
//! user.

use std::net::IpAddr;

use url::Url;

use super::forge_address::{ForgeAddress, HostOrigin};
use super::hosts::ForgeHosts;
use super::kind::ForgeKind;
use super::remote_url::{GitTransport, RemoteUrl};

/// Returns the forge repository that a remote's address refers to, if any.
#[must_use]
pub fn recognise(remote_url: &str, hosts: &ForgeHosts) -> Option<ForgeAddress> {
    let remote = RemoteUrl::parse(remote_url)?;
    let (kind, api, origin) = configured_forge(&remote, hosts)
        .or_else(|| public(&remote))
        .or_else(|| guess_forge(&remote))?;
    let project = project(kind, path_below(&remote, &api, kind))?;
    Some(ForgeAddress {
        kind,
        api,
        project,
        origin,
    })
}

fn configured_forge(remote: &RemoteUrl, hosts: &ForgeHosts) -> Option<(ForgeKind, Url, HostOrigin)> {
    let port = match remote.way {
        GitTransport::Https | GitTransport::Http => remote.port,
        GitTransport::Other => None,
    };
    let host = hosts.find(&remote.host, port)?;
    let api = match (&host.api, public(remote)) {
        (Some(api), _) => api.clone(),
        (None, Some((kind, api, _))) if kind == host.kind => api,
        (None, _) => own_api(remote, host.kind)?,
    };
    Some((host.kind, api, HostOrigin::Named))
}

fn public(remote: &RemoteUrl) -> Option<(ForgeKind, Url, HostOrigin)> {
    let (kind, api) = match remote.host.as_str() {
        // `ssh.github.com` and `altssh.gitlab.com` serve SSH on port 443.
        "github.com" | "www.github.com" | "ssh.github.com" => {
            (ForgeKind::GitHub, "https://api.github.com".to_owned())
        }
        "gitlab.com" | "www.gitlab.com" | "altssh.gitlab.com" => {
            (ForgeKind::GitLab, "https://gitlab.com/api/v4".to_owned())
        }
        // GitHub's hosted service for enterprises: one subdomain each.
        host if host
            .strip_suffix(".ghe.com")
            .is_some_and(|name| !name.contains('.')) =>
        {
            (ForgeKind::GitHub, format!("https://api.{host}"))
        }
        _ => return None,
    };
    Some((kind, Url::parse(&api).ok()?, HostOrigin::Public))
}

/// Guesses the kind from the host name: `github.example.com`, `gitlab.corp.example`.
fn guess_forge(remote: &RemoteUrl) -> Option<(ForgeKind, Url, HostOrigin)> {
    let has = |label: &str| remote.host.split('.').any(|part| part == label);
    let kind = if has("github") {
        ForgeKind::GitHub
    } else if has("gitlab") {
        ForgeKind::GitLab
    } else {
        return None;
    };
    Some((kind, own_api(remote, kind)?, HostOrigin::Guessed))
}

/// Returns the API of a self-hosted server. Plain HTTP is only allowed on loopback, because it would expose the
/// token.
fn own_api(remote: &RemoteUrl, kind: ForgeKind) -> Option<Url> {
    let (host, path) = (&remote.host, kind.api_path());
    let address = match (remote.way, remote.port) {
        (GitTransport::Https, Some(port)) => format!("https://{host}:{port}{path}"),
        (GitTransport::Http, Some(port)) if is_loopback(host) => format!("http://{host}:{port}{path}"),
        (GitTransport::Http, None) if is_loopback(host) => format!("http://{host}{path}"),
        (GitTransport::Https | GitTransport::Http | GitTransport::Other, _) => {
            format!("https://{host}{path}")
        }
    };
    Url::parse(&address).ok()
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Returns the remote's path relative to the folder in which the server is installed, taken from the API address.
fn path_below<'r>(remote: &'r RemoteUrl, api: &Url, kind: ForgeKind) -> &'r str {
    let api_path = api.path().trim_end_matches('/');
    let folder = api_path.strip_suffix(kind.api_path()).unwrap_or_default();
    let folder = folder.trim_matches('/');
    let below = remote.path.strip_prefix(folder);
    let below = below.and_then(|rest| rest.strip_prefix('/'));
    match below {
        Some(below) if !folder.is_empty() => below,
        _ => &remote.path,
    }
}

/// Returns the project of a path: two parts at GitHub, two or more at GitLab.
fn project(kind: ForgeKind, path: &str) -> Option<String> {
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    let enough = match kind {
        ForgeKind::GitHub => parts.len() == 2,
        ForgeKind::GitLab => parts.len() >= 2,
    };
    (enough && parts.iter().all(|part| is_name(part))).then(|| path.to_owned())
}

fn is_name(part: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-+~".contains(c);
    !matches!(part, "" | "." | ".." | "-") && part.chars().all(allowed)
}
