//! A gateway, a scripted provider behind it, and clients in front of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gemicro_core::budget::Limits;
use gemicro_llm::gateway::{
    AgentApi, Gateway, GatewayConfig, GatewayGrant, GatewayNote, GatewaySecret, GatewayServer, ModelRules,
    Observer, Ticket, UpstreamAddress,
};
use reqwest::{Client, RequestBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The real key: it must never be seen in front of the gateway.
pub(crate) const KEY: &str = "real-canary-key-0123456789-abcdef";

/// What a provider says on one connection.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    Bytes(Vec<u8>),
    /// The same bytes so many times.
    Repeat(Vec<u8>, usize),
    Wait(Duration),
    /// Says nothing until the gateway leaves.
    Hang,
}

/// One request that a provider got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("the gateway sends JSON")
    }
}

/// A provider that answers every request by a script.
#[derive(Clone)]
pub(crate) struct Provider {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Got>>>,
    left: Arc<Mutex<usize>>,
}

impl Provider {
    pub(crate) async fn start(script: impl Fn(&Got) -> Vec<Say> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let provider = Self {
            url,
            got: Arc::default(),
            left: Arc::default(),
        };
        let script = Arc::new(script);
        let own = provider.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (own, script) = (own.clone(), Arc::clone(&script));
                tokio::spawn(async move { own.serve(stream, &*script).await });
            }
        });
        provider
    }

    /// Always the same bytes.
    pub(crate) async fn saying(answer: String) -> Self {
        Self::start(move |_| vec![Say::Bytes(answer.clone().into_bytes())]).await
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no test died here").clone()
    }

    /// Connections that the gateway left while the provider was still talking.
    pub(crate) fn n_left(&self) -> usize {
        *self.left.lock().expect("no test died here")
    }

    async fn serve(&self, mut stream: TcpStream, script: &(dyn Fn(&Got) -> Vec<Say> + Send + Sync)) {
        let Some(got) = request(&mut stream).await else {
            return;
        };
        let acts = script(&got);
        self.got.lock().expect("no test died here").push(got);
        let mut left = false;
        for act in acts {
            match act {
                Say::Bytes(bytes) => left |= stream.write_all(&bytes).await.is_err(),
                Say::Repeat(bytes, n) => {
                    for _ in 0..n {
                        left |= stream.write_all(&bytes).await.is_err();
                        if left {
                            break;
                        }
                    }
                }
                Say::Wait(time) => tokio::time::sleep(time).await,
                Say::Hang => {
                    let mut byte = [0];
                    while stream.read(&mut byte).await.is_ok_and(|n| n > 0) {}
                    left = true;
                }
            }
        }
        if left {
            *self.left.lock().expect("no test died here") += 1;
        }
        let _ = stream.shutdown().await;
    }
}

async fn request(stream: &mut TcpStream) -> Option<Got> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&piece[..n]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>())
        });
        let length = length.map_or(0, |length| length.expect("a length"));
        while bytes.len() < end + 4 + length {
            let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
            bytes.extend_from_slice(&piece[..n]);
        }
        let body = String::from_utf8_lossy(&bytes[end + 4..]).into_owned();
        return Some(Got { head, body });
    }
}

/// An answer whose end is the end of the connection.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn json_answer(body: &str) -> String {
    answer("200 OK", "content-type: application/json\r\n", body)
}

pub(crate) const SSE_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// A piece of a chunked body.
pub(crate) fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

pub(crate) fn message_start(input: u64) -> String {
    format!(
        "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"usage\":{{\"input_tokens\":{input},\"output_tokens\":1}}}}}}\n\n"
    )
}

pub(crate) fn message_end(output: u64) -> String {
    format!(
        "event: message_delta\ndata: {{\"type\":\"message_delta\",\"usage\":{{\"output_tokens\":{output}}}}}\n\nevent: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n"
    )
}

/// A whole message that reports this usage.
pub(crate) fn stream(input: u64, output: u64) -> Vec<Say> {
    vec![
        Say::Bytes(SSE_HEAD.into()),
        Say::Bytes(chunk(&message_start(input))),
        Say::Bytes(chunk(&message_end(output))),
        Say::Bytes(LAST_CHUNK.into()),
    ]
}

/// A gateway with one open ticket.
pub(crate) struct World {
    pub(crate) gateway: Gateway,
    pub(crate) serving: GatewayServer,
    pub(crate) ticket: Ticket,
    pub(crate) notes: Arc<Mutex<Vec<GatewayNote>>>,
}

pub(crate) fn tokens(tokens: u64) -> Limits {
    Limits {
        tokens: Some(tokens),
        ..Limits::NONE
    }
}

pub(crate) fn grant(wire: AgentApi, url: &str, budget: Limits) -> GatewayGrant {
    GatewayGrant {
        label: "step".to_owned(),
        wire,
        upstream: UpstreamAddress::new(url).expect("an address"),
        key: Some(GatewaySecret::new(KEY)),
        budget,
        models: ModelRules::default(),
        web: false,
        observer: None,
        tool: None,
    }
}

pub(crate) fn listener() -> std::net::TcpListener {
    std::net::TcpListener::bind("127.0.0.1:0").expect("a free port")
}

/// Short times, so that tests need not wait.
pub(crate) fn config() -> GatewayConfig {
    GatewayConfig {
        reserve_time: Duration::from_millis(300),
        ..GatewayConfig::default()
    }
}

impl World {
    pub(crate) fn new(wire: AgentApi, url: &str, budget: Limits) -> Self {
        Self::with(config(), grant(wire, url, budget))
    }

    pub(crate) fn with(config: GatewayConfig, mut grant: GatewayGrant) -> Self {
        let notes: Arc<Mutex<Vec<GatewayNote>>> = Arc::default();
        let notes_seen = Arc::clone(&notes);
        grant.observer = Some(Observer::new(move |note| {
            notes_seen.lock().expect("no test died here").push(note);
        }));
        let gateway = Gateway::new(config);
        let serving = gateway.serve(listener()).expect("a listener");
        let ticket = gateway.open(grant).expect("a grant");
        Self {
            gateway,
            serving,
            ticket,
            notes,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.serving.url())
    }

    /// A request with the token where its API puts it.
    pub(crate) fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        client()
            .post(self.url(path))
            .bearer_auth(self.ticket.token())
            .header("content-type", "application/json")
            .body(body)
    }

    /// A small request for a message of at most this many tokens.
    pub(crate) fn message(&self, max_tokens: u64) -> RequestBuilder {
        self.post("/v1/messages", message_body(max_tokens))
    }

    pub(crate) fn notes(&self) -> Vec<GatewayNote> {
        self.notes.lock().expect("no test died here").clone()
    }
}

pub(crate) fn message_body(max_tokens: u64) -> String {
    format!(
        r#"{{"model":"claude-opus-4-8","max_tokens":{max_tokens},"stream":true,"messages":[{{"role":"user","content":"hi"}}]}}"#
    )
}

/// What the gateway reserves for such a message.
pub(crate) fn message_bound(max_tokens: u64) -> u64 {
    message_body(max_tokens).len() as u64 + 1_024 + max_tokens
}

pub(crate) fn client() -> Client {
    // A connection that is used again may be closed at the same moment: that is no answer of the gateway's.
    let builder = gemicro_client::builder().no_proxy().pool_max_idle_per_host(0);
    builder.build().expect("a client")
}

/// Says raw bytes and hears all that comes back.
pub(crate) async fn raw(world: &World, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(world.serving.addr())
        .await
        .expect("the gateway listens");
    stream.write_all(bytes).await.expect("the gateway reads");
    let mut heard = Vec::new();
    let reading = stream.read_to_end(&mut heard);
    let _ = tokio::time::timeout(Duration::from_secs(10), reading)
        .await
        .expect("the gateway ends it");
    String::from_utf8_lossy(&heard).into_owned()
}

/// Waits for something to become true.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..1_000 {
        if is() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
