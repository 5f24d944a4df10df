//! Parses the address of a remote in all forms that git accepts.

use url::Url;

/// Address of a remote, without user and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteUrl {
    pub(super) way: GitTransport,
    /// Lower case; an IPv6 address in brackets.
    pub(super) host: String,
    pub(super) port: Option<u16>,
    /// Without leading and trailing slashes.
    pub(super) path: String,
}

/// The protocol that git uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitTransport {
    Https,
    Http,
    /// SSH or git's own protocol: the port says nothing about the web server.
    Other,
}

impl RemoteUrl {
    /// Parses an address; `None` for local folders and addresses without a host.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.contains("://") {
            Self::of_url(text)
        } else {
            Self::of_scp_form(text)
        }
    }

    fn of_url(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let way = match url.scheme() {
            "https" => GitTransport::Https,
            "http" => GitTransport::Http,
            "ssh" | "git+ssh" | "ssh+git" | "git" => GitTransport::Other,
            _ => return None,
        };
        Self::new(way, url.host_str()?, url.port(), url.path())
    }

    /// Parses `user@host:path` and `host:path`. A slash before the colon means a folder, a single letter a drive.
    fn of_scp_form(text: &str) -> Option<Self> {
        let (place, path) = text.split_once(':')?;
        let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
        if place.contains(['/', '\\']) || host.len() < 2 {
            return None;
        }
        Self::new(GitTransport::Other, host, None, path)
    }

    fn new(way: GitTransport, host: &str, port: Option<u16>, path: &str) -> Option<Self> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let path = path.trim_matches('/');
        (!host.is_empty() && !path.is_empty()).then(|| Self {
            way,
            host,
            port,
            path: path.to_owned(),
        })
    }
}
