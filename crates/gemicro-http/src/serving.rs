//! The listener: connections, their number and their time.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::document::written;
use crate::entrance::{Entrance, SILENT_FOR};
use crate::gate::Access;
use crate::routes;
use crate::setup::Setup;
use crate::stalled_write::StalledWrite;

/// Connections at the same time.
const MAX_CONNECTIONS: usize = 128;
/// How long a client may take no byte of its answer.
const STALLED_FOR: Duration = Duration::from_secs(30);
/// How long answers may take to leave when the server stops.
const CLOSE_WITHIN: Duration = Duration::from_secs(3);

/// Serves the API until `shutdown` falls: then nothing more is accepted, what waits answers as things stand, streams of
/// events end, and answers have a few seconds to leave. Runs go on.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    setup: Setup,
    listener: TcpListener,
    access: Access,
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let port = listener.local_addr().map_err(|error| {
        let message = format!("the server cannot listen any more: {error}");
        Failure::new(ErrorKind::Internal, message)
    })?;
    let (router, document) = routes::all();
    let document = written(document, setup.version)?;
    let app = App::new(setup, document, shutdown.clone());
    let router = router.with_state(app.clone());
    let entrance = Entrance::new(app, access, port.port(), router);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connections = TaskTracker::new();
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = shutdown.cancelled() => break,
        };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, or a client that left at once.
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = shutdown.cancelled() => break,
        };
        let (entrance, shutdown) = (entrance.clone(), shutdown.clone());
        connections.spawn(async move {
            connection(entrance, stream, shutdown).await;
            drop(place);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

async fn connection(entrance: Arc<Entrance>, stream: TcpStream, shutdown: CancellationToken) {
    let app = entrance.app().clone();
    let _open = app.metrics.connection();
    let service = service_fn(move |request| {
        let entrance = entrance.clone();
        async move { Ok::<_, Infallible>(entrance.answer(request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(SILENT_FOR)
        .keep_alive(true);
    let stream = TokioIo::new(StalledWrite::new(stream, STALLED_FOR));
    let serving = http.serve_connection(stream, service);
    tokio::pin!(serving);
    let served = tokio::select! {
        served = serving.as_mut() => served,
        () = shutdown.cancelled() => {
            serving.as_mut().graceful_shutdown();
            let closed = tokio::time::timeout(CLOSE_WITHIN, serving).await;
            closed.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}
