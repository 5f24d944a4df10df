//! Streamable HTTP, spoken by hand: who gets in, what is too large, and a call.

use std::time::Duration;

use gemicro_mcp::{ServerAccess, ServerReach, serve_http};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::client::tool_answer;
use crate::desk::FakeDesk;
use crate::script::{answered, answers_after, finished};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

struct Served {
    port: u16,
    shutdown: CancellationToken,
}

impl Served {
    async fn new(desk: &FakeDesk) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shutdown = CancellationToken::new();
        let access = ServerAccess {
            token: TOKEN.to_owned(),
            reach: ServerReach::Loopback,
        };
        let setup = desk.setup(Duration::from_secs(45));
        tokio::spawn(serve_http(setup, listener, access, shutdown.clone()));
        Self { port, shutdown }
    }

    /// Sends one request on a connection of its own and does not wait.
    async fn send(&self, headers: &str, body: &str) -> TcpStream {
        let port = self.port;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        // A refusal may come before the body was read.
        let _ = stream.write_all(body.as_bytes()).await;
        stream
    }

    /// One request on a connection of its own: status, head and body.
    async fn post(&self, headers: &str, body: &str) -> (u16, String, String) {
        let mut stream = self.send(headers, body).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (
            status.unwrap_or_else(|| panic!("{text}")),
            head.to_owned(),
            body.to_owned(),
        )
    }
}

fn token() -> String {
    format!("authorization: Bearer {TOKEN}\r\n")
}

fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_those_with_the_token_get_in() {
    let desk = FakeDesk::new(Vec::new());
    let served = Served::new(&desk).await;
    let (status, head, body) = served.post("", &hello()).await;
    assert_eq!(status, 401);
    assert!(head.to_lowercase().contains("www-authenticate: bearer"), "{head}");
    assert!(!body.contains(TOKEN));
    let page = format!("{}origin: https://evil.example\r\n", token());
    assert_eq!(served.post(&page, &hello()).await.0, 403);
    let (status, head, _) = served.post(&token(), &hello()).await;
    assert_eq!(status, 200);
    assert!(
        !head.to_lowercase().contains("access-control-allow-origin"),
        "{head}"
    );
    let large = format!("{{\"x\": \"{}\"}}", "x".repeat(1024 * 1024));
    assert_eq!(served.post(&token(), &large).await.0, 413);
    assert_eq!(served.post(&token(), "not json").await.0 / 100, 4);
    served.shutdown.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_in_a_session() {
    let desk = FakeDesk::new(answers_after(0));
    let served = Served::new(&desk).await;
    let (_, head, _) = served.post(&token(), &hello()).await;
    let session = head
        .lines()
        .find_map(|line| {
            line.to_lowercase()
                .strip_prefix("mcp-session-id: ")
                .map(str::to_owned)
        })
        .unwrap_or_else(|| panic!("{head}"));
    let headers = format!(
        "{}mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n",
        token()
    );
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(served.post(&headers, &initialized.to_string()).await.0, 202);
    let params = json!({ "name": "gemini", "arguments": { "PROMPT": "Do it", "cd": "/tmp" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let (status, _, body) = served.post(&headers, &call.to_string()).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(tool_answer(&message(&body))["result"], "Done.");
    served.shutdown.cancel();
}

/// The SDK cancels the handler of a request whose client is gone; the run must not notice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_hangs_up_does_not_cancel_its_run() {
    let desk = FakeDesk::new(Vec::new());
    let served = Served::new(&desk).await;
    let (headers, call) = stateless("gemini", &json!({ "PROMPT": "Do it", "cd": "/tmp" }));
    let stream = served.send(&headers, &call).await;
    while desk.plans().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(stream);
    let (headers, call) = stateless("run_status", &json!({ "run_id": desk.run() }));
    let (_, _, body) = served.post(&headers, &call).await;
    assert_eq!(tool_answer(&message(&body))["status"], "running");
    desk.tell(&desk.run(), answered());
    desk.tell(&desk.run(), finished());
    let (headers, call) = stateless("run_result", &json!({ "run_id": desk.run() }));
    let (_, _, body) = served.post(&headers, &call).await;
    assert_eq!(tool_answer(&message(&body))["result"], "Done.");
    assert!(desk.cancelled().is_empty());
    served.shutdown.cancel();
}

/// Strangers that pipeline requests and never read, and connections that send half a head, keep nobody out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_keep_no_one_out() {
    let desk = FakeDesk::new(Vec::new());
    let served = Served::new(&desk).await;
    let port = served.port;
    let mut flooding = tokio::task::JoinSet::new();
    for _ in 0..100 {
        flooding.spawn(async move {
            let request = format!("GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n").repeat(1_000);
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            while stream.write_all(request.as_bytes()).await.is_ok() {}
        });
    }
    let mut halves = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: ").await;
        halves.push(stream);
    }
    let limit = Duration::from_secs(8);
    let hello = hello();
    let headers = token();
    let answered = tokio::time::timeout(limit, served.post(&headers, &hello)).await;
    assert_eq!(answered.expect("it answers at once").0, 200);
    let closed = tokio::time::timeout(limit, async { while flooding.join_next().await.is_some() {} }).await;
    closed.expect("a stranger's connection is closed after its first answer");
    drop(halves);
    served.shutdown.cancel();
}

/// The second request with an id is refused while the first is open, and the first still gets its answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_of_a_session_is_used_once_at_a_time() {
    let desk = FakeDesk::new(Vec::new());
    let served = Served::new(&desk).await;
    let (_, head, _) = served.post(&token(), &hello()).await;
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "));
    let headers = format!(
        "{}mcp-session-id: {}\r\nmcp-protocol-version: 2025-11-25\r\n",
        token(),
        session.unwrap_or_else(|| panic!("{head}"))
    );
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(served.post(&headers, &initialized.to_string()).await.0, 202);
    let params = json!({ "name": "gemini", "arguments": { "PROMPT": "Do it", "cd": "/tmp" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string();
    let mut first = served.send(&headers, &call).await;
    while desk.plans().is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..3 {
        let (status, _, body) = served.post(&headers, &call).await;
        assert_eq!(status, 200);
        let refused = message(&body);
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        let words = refused["error"]["message"].as_str().unwrap();
        assert!(words.contains("use another id"), "{words}");
    }
    assert_eq!(desk.plans().len(), 1);
    desk.tell(&desk.run(), answered());
    desk.tell(&desk.run(), finished());
    let mut text = String::new();
    first.read_to_string(&mut text).await.unwrap();
    assert_eq!(tool_answer(&message(&text))["result"], "Done.");
    // The id is free again.
    let again = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
    let (_, _, body) = served.post(&headers, &again).await;
    assert!(message(&body)["result"]["tools"].is_array(), "{body}");
    served.shutdown.cancel();
}

/// A call as protocol 2026-07-28 has it: without a session.
fn stateless(tool: &str, arguments: &Value) -> (String, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let headers = format!(
        "{}mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n",
        token()
    );
    (headers, call.to_string())
}

/// The answer to request 2, as JSON or as an event of a stream.
fn message(body: &str) -> Value {
    body.lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line))
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .find(|message| message["id"] == 2)
        .unwrap_or_else(|| panic!("{body}"))
}
