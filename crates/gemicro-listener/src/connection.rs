//! One connection: serves its requests one after the other until it closes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::access::ServerAccess;
use crate::answer_body::AnswerBody;
use crate::idle::{IdleConnections, RequestUnderWay, Visit};
use crate::places::ConnectionPlaces;
use crate::site::{ListenerSite, RequestRefusal};
use crate::stalled_write::StalledWrite;

/// Time limit for receiving a request head, and for staying idle.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Maximum time without the client reading any byte of its answer.
const STALLED_FOR: Duration = Duration::from_secs(30);
/// Time limit for answers to be sent when the server stops.
const CLOSE_WITHIN: Duration = Duration::from_secs(3);
/// Maximum size of a request head.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The state shared by all connections of a listener.
pub(crate) struct Door<S> {
    pub(crate) site: Arc<S>,
    pub(crate) access: ServerAccess,
    pub(crate) port: u16,
    pub(crate) idle: IdleConnections,
    pub(crate) places: ConnectionPlaces,
}

type HeldConnection = (RequestUnderWay, Option<OwnedSemaphorePermit>);

/// Serves one connection until either side closes it.
pub(crate) async fn serve_connection<S: ListenerSite>(
    door: Arc<Door<S>>,
    stream: TcpStream,
    visit: Arc<Visit>,
    shutdown: CancellationToken,
) {
    let evicted = visit.evicted.clone();
    let service = service_fn(move |request| {
        let (door, visit) = (door.clone(), visit.clone());
        async move { Ok::<_, Infallible>(door.answer(&visit, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(MAX_HEAD_BYTES)
        .keep_alive(true);
    let stream = TokioIo::new(StalledWrite::new(stream, STALLED_FOR));
    let serving = http.serve_connection(stream, service);
    tokio::pin!(serving);
    let served = tokio::select! {
        served = serving.as_mut() => served,
        () = evicted.cancelled() => Ok(()),
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

impl<S: ListenerSite> Door<S> {
    async fn answer(
        &self,
        visit: &Arc<Visit>,
        request: Request<Incoming>,
    ) -> Response<AnswerBody<S::Body, HeldConnection>> {
        let is_known = self.access.knows(request.headers());
        let under_way = visit.begin_request(is_known);
        let is_open = self.site.is_open(request.uri().path());
        let checked = match head_bytes(&request) > MAX_HEAD_BYTES {
            true => Err(RequestRefusal::LongHead),
            false => self.access.check(self.port, is_open, request.headers()),
        };
        let (mut response, place) = match checked {
            Err(refusal) => (self.site.refuse(&request, refusal), None),
            Ok(()) if is_open => (self.site.answer(request).await, None),
            Ok(()) => match self.places.take().await {
                Some(place) => (self.site.answer(request).await, Some(place)),
                None => (self.site.refuse(&request, RequestRefusal::Busy), None),
            },
        };
        if !is_known {
            // A caller without the token may not keep its connection.
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response.map(|body| AnswerBody::new(body, (under_way, place)))
    }
}

/// Size of a request's head. hyper checks its limit only before it reads more, so a head that arrives at once can be
/// longer.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let fields = request.headers().iter();
    let fields: usize = fields
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    let path = request
        .uri()
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    request.method().as_str().len() + path + fields
}
