//! A remote's address in its parts, in all the forms that git takes.

use url::Url;

/// Where a remote is. User and password are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteUrl {
    pub(super) way: GitTransport,
    /// In small letters; an IPv6 address in brackets.
    pub(super) host: String,
    pub(super) port: Option<u16>,
    /// Without slashes around it.
    pub(super) path: String,
}

/// How git goes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitTransport {
    Https,
    Http,
    /// SSH or git's own protocol: the port says nothing about the web server.
    Other,
}

impl RemoteUrl {
    /// Reads an address; nothing for folders and what has no host.
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

    /// `user@host:path`, `host:path`. A slash before the colon makes it a folder, a single letter a drive.
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
