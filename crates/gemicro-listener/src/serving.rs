//! Accepts connections until the server stops.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::ServerAccess;
use crate::connection::{Door, serve_connection};
use crate::idle::IdleConnections;
use crate::places::ConnectionPlaces;
use crate::site::ListenerSite;

/// The parts of a listener.
#[derive(Debug)]
pub struct ListenerParts {
    /// The TCP listener that accepts connections.
    pub listener: TcpListener,
    /// The token that callers need, and from which machines they may call.
    pub access: ServerAccess,
    /// Number of open connections, kept up to date.
    pub n_connections: Arc<AtomicU64>,
    /// Cancelled when the server stops: no more connections are accepted, and answers have a few seconds to be sent.
    pub shutdown: CancellationToken,
}

/// Serves a site until `shutdown` is cancelled.
///
/// # Errors
/// When the listener's address cannot be determined.
pub async fn serve<S: ListenerSite>(site: Arc<S>, listening: ListenerParts) -> io::Result<()> {
    let ListenerParts {
        listener,
        access,
        n_connections,
        shutdown,
    } = listening;
    let door = Arc::new(Door {
        port: listener.local_addr()?.port(),
        site,
        access,
        idle: IdleConnections::default(),
        places: ConnectionPlaces::new(),
    });
    let connections = TaskTracker::new();
    loop {
        tokio::select! {
            () = door.idle.make_room() => {}
            () = shutdown.cancelled() => break,
        }
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, or the client disconnected at once.
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = shutdown.cancelled() => break,
        };
        let (visit, open) = (door.idle.enter(), OpenConnection::new(&n_connections));
        let (door, shutdown) = (door.clone(), shutdown.clone());
        connections.spawn(async move {
            serve_connection(door, stream, visit, shutdown).await;
            drop(open);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

/// A connection, counted while it is open.
struct OpenConnection(Arc<AtomicU64>);

impl OpenConnection {
    fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
