//! The recording proxy.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::rules;
use super::tape::{Exchange, Tapes};
use super::upstream::{RecordedUpstream, UpstreamError, UpstreamRequest};
use crate::api;
use crate::scenario::{EnvelopeKind, Scenario};
use crate::server::{IncomingRequest, LoopbackServer, SimulatedRefusal, StartError, listen};

const BODY: usize = 32 << 20;
/// Headers of a single connection, not passed on in either direction.
const HOP: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    // A compressed body could not be parsed.
    "accept-encoding",
];

/// Starts recordings of a real API.
#[derive(Debug)]
pub struct Recorder;

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is incomplete, so it must not be used.
    #[error("{0} exchanges did not fit into the recording")]
    TooLarge(u64),
}

/// A running recorder. Dropping it stops it without waiting.
pub struct RunningRecorder {
    tapes: Arc<Tapes>,
    listening: LoopbackServer,
}

struct Proxy {
    upstream: Arc<dyn RecordedUpstream>,
    tapes: Arc<Tapes>,
    /// Ends open exchanges, which are recorded as broken off.
    shutdown: CancellationToken,
}

impl Recorder {
    /// Listens on a loopback address and forwards everything to the upstream.
    pub async fn start(
        upstream: Arc<dyn RecordedUpstream>,
        addr: SocketAddr,
    ) -> Result<RunningRecorder, StartError> {
        let tapes = Arc::new(Tapes::new());
        let shutdown = CancellationToken::new();
        let proxy = Arc::new(Proxy {
            upstream,
            tapes: Arc::clone(&tapes),
            shutdown: shutdown.clone(),
        });
        let router = Router::new().fallback(pass_on).with_state(proxy);
        let listening = listen(router, addr, shutdown).await?;
        Ok(RunningRecorder { tapes, listening })
    }
}

impl RunningRecorder {
    /// The address it listens on, including the port.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// The base address for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.listening.addr)
    }

    /// The exchanges that are complete or broken off.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.tapes.take_finished().0
    }

    /// Returns the recording as a scenario.
    pub fn scenario(&self, name: &str) -> Result<Scenario, RecordError> {
        scenario(&self.tapes, name)
    }

    /// Waits until more than `n_known` exchanges have ended, and returns their number.
    pub async fn ended_beyond(&self, n_known: usize) -> usize {
        self.tapes.ended_beyond(n_known).await
    }

    /// Closes all connections. Unfinished exchanges are recorded as far as they got.
    pub async fn shutdown(self, name: &str) -> Result<Scenario, RecordError> {
        self.listening.stop().await;
        scenario(&self.tapes, name)
    }
}

fn scenario(tapes: &Tapes, name: &str) -> Result<Scenario, RecordError> {
    match tapes.take_finished() {
        (exchanges, 0) => Ok(rules::scenario(name, &exchanges)),
        (_, n_dropped) => Err(RecordError::TooLarge(n_dropped)),
    }
}

async fn pass_on(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path_and_query = parts
        .uri
        .path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned();
    let Ok(body) = to_bytes(body, BODY).await else {
        return SimulatedRefusal::new(
            413,
            format!("Request payload size exceeds the limit: {BODY} bytes."),
        )
        .response(EnvelopeKind::Rpc, 0);
    };
    let mut incoming = IncomingRequest::new(parts);
    incoming.body = body;
    let headers = incoming.headers.iter().filter_map(|(name, value)| {
        let name = name.as_str();
        (!HOP.contains(&name)).then(|| Some((name.to_owned(), value.to_str().ok()?.to_owned())))?
    });
    let request = UpstreamRequest {
        method: incoming.method.to_string(),
        path_and_query,
        headers: headers.collect(),
        body: incoming.body.to_vec(),
    };
    // Requests that the simulator could not answer are forwarded but not recorded.
    let route = api::ApiRoute::of(&incoming).ok();
    let envelope = route.as_ref().map_or(EnvelopeKind::Rpc, api::ApiRoute::envelope);
    let answered = tokio::select! {
        answered = proxy.upstream.call(request) => answered,
        () = proxy.shutdown.cancelled() => {
            return SimulatedRefusal::new(503, "the recorder stopped").response(envelope, 0);
        }
    };
    let response = match answered {
        Ok(response) => response,
        Err(error) => return SimulatedRefusal::new(502, error.to_string()).response(envelope, 0),
    };
    let mut tape = route.map(|route| {
        let call = route.describe(&incoming);
        proxy
            .tapes
            .begin(call, &incoming.secrets(), response.status, &response.headers)
    });
    let mut body = response.body;
    let shutdown = proxy.shutdown.clone();
    let relayed = async_stream::stream! {
        loop {
            let piece = tokio::select! {
                piece = body.next() => piece,
                () = shutdown.cancelled() => Some(Err(UpstreamError("the recorder stopped".to_owned()))),
            };
            match piece {
                Some(Ok(piece)) => {
                    if let Some(tape) = &mut tape {
                        tape.piece(&piece);
                    }
                    yield Ok(Bytes::from(piece));
                }
                Some(Err(error)) => {
                    drop(tape.take());
                    yield Err(io::Error::other(error));
                    return;
                }
                None => break,
            }
        }
        if let Some(tape) = tape.take() {
            tape.finish();
        }
    };
    let mut relay = Response::new(Body::from_stream(relayed));
    *relay.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in response.headers {
        let parsed = (HeaderName::try_from(name), HeaderValue::try_from(value));
        if let (Ok(name), Ok(value)) = parsed
            && !HOP.contains(&name.as_str())
        {
            relay.headers_mut().append(name, value);
        }
    }
    relay
}
