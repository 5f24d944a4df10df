//! The listener: connections, their limits, and the SDK behind the gatekeeper.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpAccess;
use crate::server::Server;
use crate::setup::Setup;

/// Connections at the same time.
const MAX_CONNECTIONS: usize = 64;
/// The largest request.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// How long a client may take to say what it wants.
const READ_WITHIN: Duration = Duration::from_secs(10);
/// How long answers may take to leave when the server stops.
const CLOSE_WITHIN: Duration = Duration::from_secs(2);

type Service = StreamableHttpService<Server, LocalSessionManager>;
type Answer = Response<BoxBody<Bytes, Infallible>>;

/// What a connection needs.
struct Entrance {
    service: Service,
    access: HttpAccess,
    port: u16,
}

/// Serves clients at `/mcp` until `shutdown` falls. Runs go on.
///
/// # Errors
/// When the listener fails.
pub async fn serve_http(
    setup: Setup,
    listener: TcpListener,
    access: HttpAccess,
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("the server cannot listen any more: {error}");
        Failure::new(ErrorKind::Internal, message)
    };
    let port = listener.local_addr().map_err(failed)?.port();
    let setup = Arc::new(setup);
    let closing = shutdown.clone();
    // Host and Origin are checked here, with the port; the SDK would check the name alone.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_sse_retry(None)
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(shutdown.child_token());
    // An event without data, as the SDK sends first, ends the connection of Gemini CLI 0.61.
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    let entrance = Arc::new(Entrance {
        service: StreamableHttpService::new(
            move || Ok(Server::new(setup.clone(), closing.clone())),
            Arc::new(sessions),
            config,
        ),
        access,
        port,
    });
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
    connections.close();
    let _ = tokio::time::timeout(CLOSE_WITHIN, connections.wait()).await;
    Ok(())
}

async fn connection(entrance: Arc<Entrance>, stream: TcpStream, shutdown: CancellationToken) {
    let service = service_fn(move |request| {
        let entrance = entrance.clone();
        async move { Ok::<_, Infallible>(answer(&entrance, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(READ_WITHIN)
        .keep_alive(true);
    let serving = http.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let served = tokio::select! {
        served = serving.as_mut() => served,
        () = shutdown.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended");
    }
}

async fn answer(entrance: &Entrance, request: Request<Incoming>) -> Answer {
    if let Err((status, words)) = entrance
        .access
        .check(entrance.port, request.uri(), request.headers())
    {
        return refuse(status, words);
    }
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(READ_WITHIN, Limited::new(body, MAX_BODY_BYTES).collect()).await;
    let body = match body {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            return refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                "a request has 1 MiB at most and comes whole",
            );
        }
        Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the request took too long to come"),
    };
    entrance
        .service
        .handle(Request::from_parts(head, Full::new(body)))
        .await
}

fn refuse(status: StatusCode, words: &'static str) -> Answer {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
