//! The proxy that records.

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
use super::upstream::{Upstream, UpstreamRequest};
use crate::gemini;
use crate::scenario::Scenario;
use crate::server::{Incoming, Listening, Refusal, StartError, listen};

const BODY: usize = 20 << 20;
/// Headers of one connection: not passed on in either direction.
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
    // A compressed body could not be read again.
    "accept-encoding",
];

/// Records a real API.
#[derive(Debug)]
pub struct Recorder;

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Part of it is missing, so it must not be used.
    #[error("{0} exchanges did not fit into the recording")]
    TooLarge(u64),
}

/// A recorder at work. Dropping it stops it without waiting.
pub struct RunningRecorder {
    tapes: Arc<Tapes>,
    listening: Listening,
}

struct Proxy {
    upstream: Arc<dyn Upstream>,
    tapes: Arc<Tapes>,
}

impl Recorder {
    /// Listens on a loopback address and passes everything on to the upstream.
    pub async fn start(upstream: Arc<dyn Upstream>, addr: SocketAddr) -> Result<RunningRecorder, StartError> {
        let tapes = Arc::new(Tapes::default());
        let proxy = Arc::new(Proxy {
            upstream,
            tapes: Arc::clone(&tapes),
        });
        let router = Router::new().fallback(pass_on).with_state(proxy);
        let listening = listen(router, addr, CancellationToken::new()).await?;
        Ok(RunningRecorder { tapes, listening })
    }
}

impl RunningRecorder {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// The exchanges that are complete or broken off.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.tapes.finished().0
    }

    /// The recording as a scenario.
    pub fn scenario(&self, name: &str) -> Result<Scenario, RecordError> {
        match self.tapes.finished() {
            (exchanges, 0) => Ok(rules::scenario(name, &exchanges)),
            (_, n_dropped) => Err(RecordError::TooLarge(n_dropped)),
        }
    }

    /// Ends all connections.
    pub async fn shutdown(self) {
        self.listening.stop().await;
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
        return Refusal::new(413, "Request payload size exceeds the limit: 20971520 bytes.").response(false);
    };
    let incoming = Incoming::new(parts, body);
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
    let response = match proxy.upstream.call(request).await {
        Ok(response) => response,
        Err(error) => return Refusal::new(502, error.to_string()).response(false),
    };
    // What the simulator could not answer is passed on but not recorded.
    let route = gemini::Route::of(&incoming).ok();
    let mut tape = route.map(|route| {
        let call = gemini::describe(&incoming, &route);
        proxy
            .tapes
            .begin(call, incoming.key(), response.status, &response.headers)
    });
    let mut body = response.body;
    let relayed = async_stream::stream! {
        while let Some(piece) = body.next().await {
            match piece {
                Ok(piece) => {
                    if let Some(tape) = &mut tape {
                        tape.piece(&piece);
                    }
                    yield Ok(Bytes::from(piece));
                }
                Err(error) => {
                    yield Err(io::Error::other(error));
                    return;
                }
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
