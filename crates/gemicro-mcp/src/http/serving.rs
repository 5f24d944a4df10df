//! Serves the SDK through gemicro's listener.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_listener::{ListenerParts, ListenerSite, RequestRefusal, ServerAccess};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::open_requests::OpenRequests;
use crate::server::McpConnection;
use crate::setup::McpSetup;

/// Path of the protocol.
const PATH: &str = "/mcp";
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Time limit for receiving a request body.
const BODY_WITHIN: Duration = Duration::from_secs(10);

type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;

/// The MCP service and its open requests.
struct McpEntrance {
    service: StreamableHttpService<McpConnection, LocalSessionManager>,
    open: OpenRequests,
}

/// Serves clients at `/mcp` until `shutdown` is cancelled. Runs continue.
///
/// # Errors
/// When the listener fails.
pub async fn serve_http(
    setup: McpSetup,
    listener: TcpListener,
    access: ServerAccess,
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let setup = Arc::new(setup);
    let closing = shutdown.clone();
    // The listener checks Host and Origin, including the port; the SDK would check only the name.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_sse_retry(None)
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(shutdown.child_token());
    // The SDK's initial event without data would end the connection of Gemini CLI 0.61.
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    let entrance = McpEntrance {
        service: StreamableHttpService::new(
            move || Ok(McpConnection::new(setup.clone(), closing.clone())),
            Arc::new(sessions),
            config,
        ),
        open: OpenRequests::default(),
    };
    let listening = ListenerParts {
        listener,
        access,
        n_connections: Arc::default(),
        shutdown,
    };
    let served = gemicro_listener::serve(Arc::new(entrance), listening).await;
    served.map_err(|error| {
        let message = format!("the server can no longer listen: {error}");
        Failure::new(ErrorKind::Internal, message)
    })
}

impl ListenerSite for McpEntrance {
    type Body = BoxBody<Bytes, Infallible>;

    fn is_open(&self, _path: &str) -> bool {
        false
    }

    async fn answer(&self, request: Request<Incoming>) -> HttpAnswer {
        if request.uri().path() != PATH {
            return plain(StatusCode::NOT_FOUND, "the protocol is served at /mcp");
        }
        let (head, body) = request.into_parts();
        let body = tokio::time::timeout(BODY_WITHIN, Limited::new(body, MAX_BODY_BYTES).collect()).await;
        let body = match body {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(_)) => {
                return plain(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "request body incomplete or larger than 1 MiB",
                );
            }
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "timed out reading the request"),
        };
        let open = match self.open.begin(&head.headers, &body) {
            Ok(open) => open,
            Err(refusal) => return json(&refusal),
        };
        let answer = self
            .service
            .handle(Request::from_parts(head, Full::new(body)))
            .await;
        answer.map(|body| {
            body.map_frame(move |frame| {
                // The request stays open until the answer has been sent or its reader is gone.
                let _ = &open;
                frame
            })
            .boxed()
        })
    }

    fn refuse(&self, _request: &Request<Incoming>, refusal: RequestRefusal) -> HttpAnswer {
        let mut response = plain(refusal.status(), refusal.message());
        let headers = response.headers_mut();
        match refusal {
            RequestRefusal::NoToken => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            RequestRefusal::Busy => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            RequestRefusal::ForeignHost | RequestRefusal::WebPage | RequestRefusal::LongHead => {}
        }
        response
    }
}

fn plain(status: StatusCode, words: &'static str) -> HttpAnswer {
    respond(status, "text/plain", Bytes::from_static(words.as_bytes()))
}

fn json(value: &serde_json::Value) -> HttpAnswer {
    respond(StatusCode::OK, "application/json", value.to_string().into())
}

fn respond(status: StatusCode, content_type: &'static str, body: Bytes) -> HttpAnswer {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}
