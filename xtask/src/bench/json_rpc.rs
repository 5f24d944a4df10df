//! A child process that speaks JSON-RPC, one object per line on stdin and stdout: an MCP server, or an agent over ACP.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Time after which the child counts as hung; any answer takes less.
const LATE: Duration = Duration::from_secs(30);
/// Time for the child to exit after its input is closed.
const LEAVING: Duration = Duration::from_secs(5);

/// The child and the ends of its pipes; killed on drop.
pub(crate) struct JsonRpc {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
}

impl JsonRpc {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Self {
            child,
            input,
            lines: lines(output.context("a child without stdout")?),
            last_id: 0,
        })
    }

    /// Sends a request and waits for its answer; other messages are skipped.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(LATE);
            let line = line.with_context(|| format!("no answer to `{method}`"))?;
            if let Some(answer) = answer(&line, self.last_id)? {
                return Ok(answer);
            }
        }
    }

    /// Sends a notification, which has no answer.
    pub(crate) fn notify(&mut self, method: &str) -> Result<()> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method }))
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("its stdin is closed")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(input.flush()?)
    }
}

impl Drop for JsonRpc {
    fn drop(&mut self) {
        drop(self.input.take());
        // Its output ends when it exits; otherwise it is killed.
        while self.lines.recv_timeout(LEAVING).is_ok() {}
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The child's lines, as they arrive.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The result in a line, if it answers this request.
fn answer(line: &str, id: u64) -> Result<Option<Value>> {
    // Node programs may print text that is not part of the protocol.
    let Ok(mut message) = serde_json::from_str::<Value>(line) else {
        return Ok(None);
    };
    if message["id"] != id || message.get("method").is_some() {
        return Ok(None);
    }
    match message.get("error") {
        Some(error) => bail!("the answer is an error: {error}"),
        None => Ok(Some(message["result"].take())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_answer_counts() {
        let passed_over = [
            "loading",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/request_permission"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ];
        for line in passed_over {
            assert_eq!(answer(line, 2).unwrap(), None, "{line}");
        }
        let own = r#"{"jsonrpc":"2.0","id":2,"result":{"a":1}}"#;
        assert_eq!(answer(own, 2).unwrap(), Some(json!({ "a": 1 })));
        let error = answer(r#"{"id":2,"error":{"code":400}}"#, 2).unwrap_err();
        assert_eq!(error.to_string(), r#"the answer is an error: {"code":400}"#);
    }

    #[cfg(unix)]
    #[test]
    fn a_child_is_asked_and_leaves() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"while read -r line; do echo '{"id":1,"result":7}'; done"#]);
        let mut child = JsonRpc::start(command).unwrap();
        assert_eq!(child.request("x", &json!({})).unwrap(), 7);
    }
}
