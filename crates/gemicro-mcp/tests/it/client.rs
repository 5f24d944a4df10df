//! A client that speaks JSON lines.

use gemicro_event::Failure;
use gemicro_mcp::{McpSetup, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// One connection to a server in this process.
pub(crate) struct Client {
    output: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<Result<(), Failure>>,
    pub(crate) shutdown: CancellationToken,
    next_id: u64,
    pub(crate) notes: Vec<Value>,
    /// What the server said about itself.
    pub(crate) server: Value,
}

impl Client {
    pub(crate) async fn connect(setup: McpSetup) -> Self {
        Self::connect_as(setup, json!({})).await
    }

    /// A client with these capabilities.
    pub(crate) async fn connect_as(setup: McpSetup, capabilities: Value) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(far);
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(serve(setup, input, output, shutdown.clone()));
        let (input, output) = tokio::io::split(near);
        let mut client = Self {
            output,
            lines: BufReader::new(input).lines(),
            serving,
            shutdown,
            next_id: 0,
            notes: Vec::new(),
            server: Value::Null,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        client.server = client.request("initialize", hello).await["result"].take();
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Sends a request and does not wait.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send_as(id, method, params).await;
        id
    }

    /// Sends a request under an id and does not wait.
    pub(crate) async fn send_as(&mut self, id: u64, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
    }

    /// Reads until an answer is there.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await.expect("the server is there");
            if message["id"] == id {
                return message;
            }
            assert!(
                message.get("id").is_none(),
                "an answer nobody waits for: {message}"
            );
            self.notes.push(message);
        }
    }

    /// The next message; `None` when the server has left.
    pub(crate) async fn read(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool and gives its answer, after checking that all its forms agree.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let id = self.send("tools/call", params).await;
        let message = self.answer(id).await;
        tool_answer(&message)
    }

    /// Leaves without a word; waits until the server has noticed.
    pub(crate) async fn vanish(self) {
        drop((self.output, self.lines));
        self.serving.await.unwrap().unwrap();
    }

    async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.output.write_all(line.as_bytes()).await.unwrap();
    }
}

/// The JSON object of a tool's result.
pub(crate) fn tool_answer(message: &Value) -> Value {
    let result = &message["result"];
    let answer = result["structuredContent"].clone();
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"));
    let parsed: Value = serde_json::from_str(text).unwrap();
    assert_eq!(parsed, answer);
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    assert_eq!(result["isError"], !answer["success"].as_bool().unwrap());
    answer
}
