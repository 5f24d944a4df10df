//! The address of one repository at a forge.

use url::Url;

use super::kind::ForgeKind;

/// A repository at a forge. It never contains a user name or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeAddress {
    pub(super) kind: ForgeKind,
    pub(super) api: Url,
    pub(super) project: String,
    pub(super) origin: HostOrigin,
}

/// How gemicro knows that a host is a forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOrigin {
    /// A well-known public service.
    Public,
    /// The user configured it.
    Named,
    /// Its name suggests it. No token is sent there.
    Guessed,
}

impl ForgeAddress {
    /// The API it uses.
    #[must_use]
    pub fn kind(&self) -> ForgeKind {
        self.kind
    }

    /// Base address of its API.
    #[must_use]
    pub fn api(&self) -> &Url {
        &self.api
    }

    /// Owner and name, or groups and name: `octo/hello`.
    #[must_use]
    pub fn project(&self) -> &str {
        &self.project
    }

    /// How its host is known.
    #[must_use]
    pub fn origin(&self) -> HostOrigin {
        self.origin
    }

    /// Host and port of the API, for people.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.api.host_str().unwrap_or_default();
        match self.api.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Display name of the repository: `GitHub octo/hello`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.kind, self.project)
    }

    /// Repository and host, for errors.
    pub(crate) fn place(&self) -> String {
        format!("{} at {}", self.name(), self.host())
    }
}
