//! The forges that the user has tokens for.

use std::collections::BTreeMap;
use std::fmt;

use gemicro_event::Failure;

use super::{Forge, ForgeHosts, ForgeKind, ForgeToken, open, recognise};

/// What an edge knows about forges.
#[derive(Clone, Default)]
pub struct Forges {
    /// Hosts that were named.
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
    /// The forge of a remote; none where its address is not that of one, or nobody has a token for it.
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

    /// Whether an address is that of a forge that could be asked with a token.
    #[must_use]
    pub fn knows(&self, remote_url: &str) -> bool {
        recognise(remote_url, &self.hosts).is_some()
    }
}
