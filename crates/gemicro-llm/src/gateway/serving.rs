//! Connections: accepts them, as many as there may be, and speaks HTTP/1 on each.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gemicro_listener::StalledWrite;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::exchange::exchange;
use super::gateway::GatewayState;

/// The largest head of a request.
pub(super) const HEAD_BYTES: usize = 64 << 10;
/// A pause after a failed accept: there may be no file handles left.
const PAUSE: Duration = Duration::from_millis(50);

/// A listener that is served. Dropping it closes the listener and its connections.
#[derive(Debug)]
#[must_use = "the listener is closed when this is dropped"]
pub struct GatewayServer {
    addr: SocketAddr,
    _stop: DropGuard,
}

impl GatewayServer {
    /// The address that is served, as the one who made the listener sees it.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The base address for a CLI on the same network.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Starts to serve a listener.
    pub(super) fn start(gateway: Arc<GatewayState>, listener: std::net::TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let addr = listener.local_addr()?;
        let stop = CancellationToken::new();
        tokio::spawn(accept(gateway, listener, stop.clone()));
        Ok(Self {
            addr,
            _stop: stop.drop_guard(),
        })
    }
}

async fn accept(gateway: Arc<GatewayState>, listener: TcpListener, stop: CancellationToken) {
    let slots = Arc::new(Semaphore::new(gateway.config.connections.max(1)));
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            () = stop.cancelled() => return,
            next = next => next,
        };
        match (slot, accepted) {
            (Ok(slot), Ok((stream, _))) => {
                let connection = serve(Arc::clone(&gateway), stream, slot);
                let stop = stop.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = connection => {}
                    }
                });
            }
            (_, Err(error)) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
            (Err(_), Ok(_)) => return,
        }
    }
}

async fn serve(gateway: Arc<GatewayState>, stream: TcpStream, _slot: OwnedSemaphorePermit) {
    // Events are small and must not wait for more.
    let _ = stream.set_nodelay(true);
    let stream = StalledWrite::new(stream, gateway.config.write_time);
    let head_time = gateway.config.head_time;
    let service = service_fn(move |request| {
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, Infallible>(exchange(&gateway, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(true);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection ended");
    }
}
