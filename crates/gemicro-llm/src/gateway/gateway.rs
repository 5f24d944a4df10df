//! The gateway itself: who may pass.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gemicro_event::{ErrorKind, Failure};
use reqwest::Client;

use super::account::GrantAccount;
use super::config::GatewayConfig;
use super::grant::{GatewayGrant, UpstreamAddress};
use super::secret::GrantToken;
use super::serving::GatewayServer;
use super::ticket::Ticket;
use crate::http;

/// Stands between agent CLIs and their models. Cheap to clone; all clones are one gateway.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<GatewayState>,
}

/// What connections and tickets need of it.
pub(super) struct GatewayState {
    pub(super) config: GatewayConfig,
    steps: RwLock<Vec<Arc<GrantAccount>>>,
    /// One client per address, so that connections are kept.
    clients: Mutex<HashMap<String, Client>>,
}

impl Gateway {
    /// A gateway that serves nothing yet.
    #[must_use]
    pub fn new(config: GatewayConfig) -> Self {
        Self {
            inner: Arc::new(GatewayState {
                config,
                steps: RwLock::default(),
                clients: Mutex::default(),
            }),
        }
    }

    /// Serves a listener until what comes back is dropped. It may stem from another network namespace. Must be
    /// called inside a tokio runtime.
    ///
    /// # Errors
    /// When the listener cannot be used.
    pub fn serve(&self, listener: std::net::TcpListener) -> io::Result<GatewayServer> {
        GatewayServer::start(Arc::clone(&self.inner), listener)
    }

    /// Opens a grant. Its token works on every listener, until the ticket is closed or dropped.
    ///
    /// # Errors
    /// When the key holds characters that no key has, or when there is no randomness or no HTTP client.
    pub fn open(&self, grant: GatewayGrant) -> Result<Ticket, Failure> {
        let token = GrantToken::random().map_err(|error| {
            let message = format!("there is no randomness for a token: {error}");
            Failure::new(ErrorKind::Internal, message)
        })?;
        self.open_as(token, grant)
    }

    /// Opens a grant for a process that was given the token of an earlier one, which is closed by now.
    ///
    /// # Errors
    /// As for [`open`](Self::open); `conflict` while the earlier grant is open.
    pub fn open_again(&self, token: &str, grant: GatewayGrant) -> Result<Ticket, Failure> {
        if self.inner.find(token.as_bytes()).is_some() {
            let message = "the grant before this one is still open";
            return Err(Failure::new(ErrorKind::Conflict, message));
        }
        self.open_as(GrantToken::from_bytes(token), grant)
    }

    fn open_as(&self, token: GrantToken, grant: GatewayGrant) -> Result<Ticket, Failure> {
        let rules = grant.wire.rules();
        if let Some(key) = &grant.key
            && (key.expose().is_empty() || rules.key_value(key.expose()).is_none())
        {
            let message = "the API key is empty or contains characters that are not allowed in a key";
            return Err(Failure::new(ErrorKind::AuthFailed, message));
        }
        let client = self.inner.client(&grant.upstream)?;
        let step = Arc::new(GrantAccount::new(grant, token, client, &self.inner.config));
        let mut steps = self.inner.steps.write().unwrap_or_else(PoisonError::into_inner);
        steps.push(Arc::clone(&step));
        drop(steps);
        Ok(Ticket::new(Arc::clone(&self.inner), step))
    }
}

impl GatewayState {
    /// Who this token belongs to. Looks at all of them, so that time tells nothing.
    pub(super) fn find(&self, token: &[u8]) -> Option<Arc<GrantAccount>> {
        let steps = self.steps.read().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for step in steps.iter() {
            if step.token.is(token) {
                found = Some(Arc::clone(step));
            }
        }
        found
    }

    pub(super) fn forget(&self, step: &Arc<GrantAccount>) {
        let mut steps = self.steps.write().unwrap_or_else(PoisonError::into_inner);
        steps.retain(|known| !Arc::ptr_eq(known, step));
    }

    fn client(&self, upstream: &UpstreamAddress) -> Result<Client, Failure> {
        let address = upstream.base().origin().ascii_serialization();
        if let Some(client) = self.clients().get(&address) {
            return Ok(client.clone());
        }
        let client = http::client(upstream.base())?;
        self.clients().insert(address, client.clone());
        Ok(client)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<String, Client>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_open = self
            .inner
            .steps
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        f.debug_struct("Gateway")
            .field("n_open", &n_open)
            .finish_non_exhaustive()
    }
}
