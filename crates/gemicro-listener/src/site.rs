//! [`ListenerSite`], the trait of the sites that a listener serves.

use std::error::Error;
use std::future::Future;

use hyper::body::{Body, Bytes, Incoming};
use hyper::{Request, Response, StatusCode};

/// Answers the requests that a listener accepts.
pub trait ListenerSite: Send + Sync + 'static {
    /// The body of its answers.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static;

    /// Whether a path is answered without a token, and even if every slot is taken. Such answers are short.
    fn is_open(&self, path: &str) -> bool;

    /// Answers a request that passed the checks.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Response<Self::Body>> + Send;

    /// Answers a request that was refused. Its body was not read.
    fn refuse(&self, request: &Request<Incoming>, refusal: RequestRefusal) -> Response<Self::Body>;
}

/// Why a request is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRefusal {
    /// `Host` does not name this server.
    ForeignHost,
    /// A web page sent it.
    WebPage,
    /// The token is missing or wrong.
    NoToken,
    /// The head of the request is too long.
    LongHead,
    /// Every slot stayed taken; try again later.
    Busy,
}

impl RequestRefusal {
    /// The HTTP status that a refused client gets.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::ForeignHost | Self::WebPage => StatusCode::FORBIDDEN,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::LongHead => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The message for people.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::ForeignHost => "the Host header does not name this server",
            Self::WebPage => "web pages may not call this server",
            Self::NoToken => {
                "the bearer token is missing or wrong; the server prints where it is when it starts"
            }
            Self::LongHead => "request headers are larger than 64 KiB",
            Self::Busy => "the server is answering as many requests as it can; try again in a second",
        }
    }
}
