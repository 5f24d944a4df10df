//! The forges for which the user has tokens.

use std::collections::BTreeMap;
use std::fmt;

use gemicro_event::Failure;

use super::{Forge, ForgeHosts, ForgeKind, ForgeToken, open, recognise};

/// Configured hosts and tokens for forges.
#[derive(Clone, Default)]
pub struct Forges {
    /// Configured hosts.
    pub hosts: ForgeHosts,
    /// Access tokens, one per kind of forge.
    pub tokens: BTreeMap<ForgeKind, ForgeToken>,
}

impl fmt::Debug for Forges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.tokens.keys().collect();
        f.debug_struct("Forges")
            .field("tokens", &kinds)
            .finish_non_exhaustive()
    }
}

impl Forges {
    /// Returns the forge of a remote; `None` if the address is not a forge or there is no token for it.
    ///
    /// # Errors
    /// When the token cannot be used there.
    pub fn of(&self, remote_url: &str) -> Result<Option<Box<dyn Forge>>, Failure> {
        let Some(address) = recognise(remote_url, &self.hosts) else {
            return Ok(None);
        };
        let Some(token) = self.tokens.get(&address.kind()).cloned() else {
            return Ok(None);
        };
        open(address, Some(token)).map(Some).map_err(Failure::from)
    }

    /// Returns true if an address is that of a supported forge.
    #[must_use]
    pub fn knows(&self, remote_url: &str) -> bool {
        recognise(remote_url, &self.hosts).is_some()
    }
}
