//! A server of the real program, and requests as plain text: what any client sends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::World;

/// A server that runs.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    /// What it said first.
    pub(crate) said: String,
    stderr: BufReader<ChildStderr>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// `serve` on a free port in the folder of documents, not started yet.
pub(crate) fn command(world: &World, more: &[&str]) -> Command {
    // The sandbox of a shell command hides the user's folder, so there has to be one.
    std::fs::create_dir_all(world.path("user")).unwrap();
    let mut arguments = vec!["serve", "--listen", "127.0.0.1:0"];
    arguments.extend(more);
    let mut command = world.command(&arguments);
    command
        .env("PATH", "/usr/bin:/bin")
        .current_dir(world.path("docs"));
    command
}

impl Serving {
    pub(crate) fn start(world: &World, mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        let address = said
            .split_whitespace()
            .find_map(|word| word.strip_suffix(';')?.strip_prefix("http://"))
            .unwrap_or_else(|| panic!("{said}"))
            .to_owned();
        let token = std::fs::read_to_string(world.path("home/http-token")).unwrap();
        Self {
            child,
            address,
            token: token.trim().to_owned(),
            said,
            stderr,
        }
    }

    /// A request with these lines in its head; the connection is closed after the answer.
    pub(crate) fn send(&self, line: &str, fields: &[&str], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
        let length = body.len();
        // HTTP/1.0: the body ends with the connection.
        write!(
            stream,
            "{line} HTTP/1.0\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head
                .split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// The lines that a client of ours has in its head.
    pub(crate) fn fields(&self) -> [String; 3] {
        [
            format!("Host: {}", self.address),
            format!("Authorization: Bearer {}", self.token),
            "Content-Type: application/json".to_owned(),
        ]
    }

    pub(crate) fn get(&self, path: &str, more: &[&str]) -> Answer {
        self.call(&format!("GET {path}"), more, "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.call(&format!("POST {path}"), &[], body)
    }

    fn call(&self, line: &str, more: &[&str], body: &str) -> Answer {
        let fields = self.fields();
        let fields: Vec<&str> = fields
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        self.send(line, &fields, body)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends it as `systemctl stop` does; gives back its exit code and what it said meanwhile.
    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        self.signal(Signal::TERM);
        let code = self.child.wait().unwrap().code();
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (code, rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
