//! Handles one authorised request: reads the body, calls the route, and adds the common headers.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::extract::Request as AxumRequest;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gemicro_event::{ErrorKind, Failure};
use gemicro_listener::{ListenerSite, RequestRefusal};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, Request, StatusCode};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use crate::app::SharedApp;
use crate::body_limit::{body_limit, too_long};
use crate::trouble::HttpTrouble;

/// Maximum time for a client to send a body.
const BODY_WITHIN: Duration = Duration::from_secs(30);
/// Maximum time for a client to send a batch.
const LONG_BODY_WITHIN: Duration = Duration::from_secs(180);
/// The only route that needs no token.
const OPEN: &str = "/health";
/// Maximum silence of a client while it sends a body.
const SILENT_FOR: Duration = Duration::from_secs(10);
/// Bodies up to this size are read at once; longer ones have to wait for each other.
const SHORT_BODY: usize = 1 << 20;
/// Maximum number of long bodies at the same time, because they are held in memory.
const MAX_LONG_BODIES: usize = 4;

/// The entry point of all connections.
pub(crate) struct HttpEntrance {
    app: SharedApp,
    router: Router,
    long_bodies: Semaphore,
}

impl ListenerSite for HttpEntrance {
    type Body = Body;

    fn is_open(&self, path: &str) -> bool {
        path == OPEN
    }

    async fn answer(&self, request: Request<Incoming>) -> Response {
        let method = request.method().clone();
        let response = match self.admit(request).await {
            Ok(request) => self.route(request).await,
            Err(trouble) => trouble.into_response(),
        };
        self.finish(&method, response)
    }

    fn refuse(&self, request: &Request<Incoming>, refusal: RequestRefusal) -> Response {
        let kind = match refusal {
            RequestRefusal::ForeignHost | RequestRefusal::WebPage => ErrorKind::PermissionDenied,
            RequestRefusal::NoToken => ErrorKind::AuthFailed,
            RequestRefusal::LongHead => ErrorKind::InvalidInput,
            RequestRefusal::Busy => ErrorKind::RateLimited,
        };
        let failure = Failure {
            retry_after_ms: (refusal == RequestRefusal::Busy).then_some(1_000),
            ..Failure::new(kind, refusal.message())
        };
        let response = HttpTrouble::new(refusal.status(), failure).into_response();
        self.finish(request.method(), response)
    }
}

impl HttpEntrance {
    pub(crate) fn new(app: SharedApp, router: Router) -> Self {
        Self {
            app,
            router: router.layer(axum::middleware::from_fn(note_route)),
            long_bodies: Semaphore::new(MAX_LONG_BODIES),
        }
    }

    /// Counts an answer and adds the common headers.
    fn finish(&self, method: &Method, mut response: Response) -> Response {
        let route = response.extensions_mut().remove::<MatchedPath>();
        let route = route.as_ref().map(MatchedPath::as_str);
        self.app.metrics.count_answer(route, method, response.status());
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// Returns the request with its complete body, if it is valid.
    async fn admit(&self, request: Request<Incoming>) -> Result<Request<Body>, HttpTrouble> {
        let (head, body) = request.into_parts();
        let limit = body_limit(&head.method, head.uri.path(), &head.headers)?;
        let within = if limit > SHORT_BODY {
            LONG_BODY_WITHIN
        } else {
            BODY_WITHIN
        };
        let body = tokio::time::timeout(within, self.read(body, limit));
        let body = body.await.unwrap_or_else(|_| Err(too_slow()))?;
        Ok(Request::from_parts(head, Body::from(body)))
    }

    async fn read(&self, body: Incoming, limit: usize) -> Result<Bytes, HttpTrouble> {
        let mut body = Limited::new(body, limit);
        let mut bytes = Vec::new();
        let mut place = None;
        loop {
            let frame = tokio::time::timeout(SILENT_FOR, body.frame());
            match frame.await.map_err(|_| too_slow())? {
                None => return Ok(bytes.into()),
                Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
                Some(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                    return Err(too_long(limit));
                }
                Some(Err(_)) => return Err(HttpTrouble::invalid("the request was incomplete")),
            }
            if bytes.len() > SHORT_BODY && place.is_none() {
                place = self.long_bodies.acquire().await.ok();
            }
        }
    }

    async fn route(&self, request: Request<Body>) -> Response {
        use hyper::service::Service;

        let routed = TowerToHyperService::new(self.router.clone()).call(request).await;
        routed.unwrap_or_else(|never| match never {})
    }
}

/// Stores the matched route with the answer, for the metrics.
async fn note_route(request: AxumRequest, next: Next) -> Response {
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(matched) = matched {
        response.extensions_mut().insert(matched);
    }
    response
}

fn too_slow() -> HttpTrouble {
    let failure = Failure::new(ErrorKind::Timeout, "timed out reading the request");
    HttpTrouble::new(StatusCode::REQUEST_TIMEOUT, failure)
}
