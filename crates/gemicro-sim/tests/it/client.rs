//! A tiny HTTP client, so that the tests see bytes and not a library's idea of them.

use std::net::SocketAddr;
use std::time::Duration;

use gemicro_sim::scenario::Scenario;
use gemicro_sim::{RunningSimulator, Simulator};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Silence after which a body counts as hung.
const SILENCE: Duration = Duration::from_secs(2);
/// How long headers may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) const KEY: &str = "sim-test-key-0123456789";

pub(crate) const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

/// How a body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Whole,
    Broken,
    Silent,
}

/// A response, read as far as it came.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) ended: Ended,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The JSON of every `data:` line.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).expect("the simulator and the test are well-formed"))
            .collect()
    }

    /// The text of all text deltas.
    pub(crate) fn text(&self) -> String {
        text(&self.events())
    }
}

pub(crate) fn text(events: &[Value]) -> String {
    let texts = events.iter().filter(|event| event["delta"]["type"] == "text");
    texts
        .filter_map(|event| event["delta"]["text"].as_str())
        .collect()
}

pub(crate) async fn start(scenario: &str) -> RunningSimulator {
    let scenario =
        Scenario::parse("test.yaml", scenario).expect("the simulator and the test are well-formed");
    Simulator::start(scenario, ANY)
        .await
        .expect("the simulator and the test are well-formed")
}

/// A body with more fields, as text.
pub(crate) fn with(mut body: Value, fields: Value) -> String {
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body.to_string()
}

/// Sends a request with a key.
pub(crate) async fn ask(addr: SocketAddr, method: &str, path: &str, body: &str) -> Answer {
    let response = open(addr, method, path, body, &[("x-goog-api-key", KEY)]).await;
    read(response).await
}

pub(crate) async fn post(addr: SocketAddr, path: &str, body: &Value) -> Answer {
    ask(addr, "POST", path, &body.to_string()).await
}

pub(crate) async fn get(addr: SocketAddr, path: &str) -> Answer {
    ask(addr, "GET", path, "").await
}

/// Sends a request and gives the response as soon as its headers are there; `None` when they never come.
pub(crate) async fn open(
    addr: SocketAddr,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> Option<Response<Incoming>> {
    let stream = TcpStream::connect(addr)
        .await
        .expect("the simulator and the test are well-formed");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("the simulator and the test are well-formed");
    tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", addr.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
        .expect("the simulator and the test are well-formed");
    let answered = tokio::time::timeout(PATIENCE, sender.send_request(request)).await;
    answered
        .ok()
        .map(|response| response.expect("the simulator and the test are well-formed"))
}

pub(crate) async fn read(response: Option<Response<Incoming>>) -> Answer {
    let response = response.expect("the server sends headers");
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                value
                    .to_str()
                    .expect("the simulator and the test are well-formed")
                    .to_owned(),
            )
        })
        .collect();
    let mut incoming = response.into_body();
    let mut body = Vec::new();
    let ended = loop {
        match next(&mut incoming).await {
            Next::Data(data) => body.extend_from_slice(&data),
            Next::End(ended) => break ended,
        }
    };
    Answer {
        status,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        ended,
    }
}

pub(crate) enum Next {
    Data(Bytes),
    End(Ended),
}

pub(crate) async fn next(body: &mut Incoming) -> Next {
    loop {
        match tokio::time::timeout(SILENCE, body.frame()).await {
            Err(_) => return Next::End(Ended::Silent),
            Ok(None) => return Next::End(Ended::Whole),
            Ok(Some(Err(_))) => return Next::End(Ended::Broken),
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    return Next::Data(data);
                }
            }
        }
    }
}
