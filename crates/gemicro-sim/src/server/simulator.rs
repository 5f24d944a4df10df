//! Starts and stops a simulator.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::dispatch::dispatch;
use super::log::RequestLog;
use super::world::ServerWorld;
use crate::play::ReplyGates;
use crate::scenario::Scenario;

/// Maximum time for open connections to end after all waits were ended.
const GRACE: Duration = Duration::from_secs(2);

/// Starts servers that answer according to a scenario.
#[derive(Debug)]
pub struct Simulator;

/// Why a simulator cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum StartError {
    /// The address is not loopback, so others in the network could reach it.
    #[error("{0} is not a loopback address: the simulator listens on this machine only")]
    NotLoopback(SocketAddr),
    /// Listening on the address failed.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        addr: SocketAddr,
        source: std::io::Error,
    },
}

/// A running simulator. Dropping it stops it without waiting.
pub struct RunningSimulator {
    world: Arc<ServerWorld>,
    listening: LoopbackServer,
}

impl Simulator {
    /// Listens on a loopback address (port 0: any free one) and answers until shut down.
    pub async fn start(scenario: Scenario, addr: SocketAddr) -> Result<RunningSimulator, StartError> {
        let world = Arc::new(ServerWorld::new(scenario));
        let router = Router::new().fallback(dispatch).with_state(Arc::clone(&world));
        let listening = listen(router, addr, world.shutdown.clone()).await?;
        Ok(RunningSimulator { world, listening })
    }
}

impl RunningSimulator {
    /// The address it listens on, including the port.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// The base address for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.listening.addr)
    }

    /// The log of all requests so far.
    pub fn log(&self) -> &RequestLog {
        &self.world.log
    }

    /// The gates at which scripted replies wait.
    pub fn gates(&self) -> &ReplyGates {
        &self.world.gates
    }

    /// Name of each rule, and how many requests it was applied to.
    pub fn rules(&self) -> Vec<(String, u64)> {
        self.world.rules.counts(&self.world.scenario)
    }

    /// Resets everything: log, interactions, gates and rule counters.
    pub fn reset(&self) {
        self.world.reset();
    }

    /// Ends all waits and connections, and returns when nothing runs any more.
    pub async fn shutdown(self) {
        self.listening.stop().await;
    }
}

impl std::fmt::Debug for RunningSimulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("addr", &self.listening.addr)
            .finish_non_exhaustive()
    }
}

/// A server on a loopback address.
pub(crate) struct LoopbackServer {
    pub(crate) addr: SocketAddr,
    server: JoinHandle<()>,
    shutdown: CancellationToken,
    /// Stops the server when the handle is dropped.
    _guard: DropGuard,
}

impl LoopbackServer {
    pub(crate) async fn stop(mut self) {
        self.shutdown.cancel();
        if tokio::time::timeout(GRACE, &mut self.server).await.is_err() {
            self.server.abort();
        }
    }
}

/// Serves a router on a loopback address until the token is cancelled.
pub(crate) async fn listen(
    router: Router,
    addr: SocketAddr,
    shutdown: CancellationToken,
) -> Result<LoopbackServer, StartError> {
    if !addr.ip().is_loopback() {
        return Err(StartError::NotLoopback(addr));
    }
    let failed = |source| StartError::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;
    let stopped = shutdown.clone().cancelled_owned();
    let server = tokio::spawn(async move {
        // Serving ends only at shutdown; the listener retries its own errors.
        let _ = axum::serve(listener, router)
            .with_graceful_shutdown(stopped)
            .await;
    });
    Ok(LoopbackServer {
        addr,
        server,
        _guard: shutdown.clone().drop_guard(),
        shutdown,
    })
}
