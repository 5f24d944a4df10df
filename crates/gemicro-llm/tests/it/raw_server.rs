//! A server that says exactly the bytes it is given.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What one connection gets, in order.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Bytes.
    Say(Vec<u8>),
    /// These bytes over and over, until the client goes away.
    Flood(Vec<u8>),
    Wait(Duration),
    /// Waits until the client goes away.
    Hang,
}

pub(crate) struct RawServer {
    pub(crate) addr: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    heads: Vec<String>,
    n_left: usize,
}

impl RawServer {
    /// The nth connection gets the nth script; later ones get the last.
    pub(crate) async fn start(scripts: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("the servers of the tests run");
        let addr = listener.local_addr().expect("the servers of the tests run");
        let seen = Arc::new(Mutex::new(Seen::default()));
        let noted = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut n = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let script = scripts[n.min(scripts.len() - 1)].clone();
                n += 1;
                tokio::spawn(serve(stream, script, Arc::clone(&noted)));
            }
        });
        Self { addr, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The request lines so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        let seen = self.seen.lock().expect("no test died here");
        let lines = seen.heads.iter();
        lines
            .map(|head| head.lines().next().unwrap_or_default().to_owned())
            .collect()
    }

    /// Whole request heads so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.lock().expect("no test died here").heads.clone()
    }

    /// Connections that the client closed while the server waited.
    pub(crate) fn n_left(&self) -> usize {
        self.seen.lock().expect("no test died here").n_left
    }
}

async fn serve(mut stream: TcpStream, script: Vec<Act>, seen: Arc<Mutex<Seen>>) {
    let head = read_request(&mut stream).await;
    seen.lock().expect("no test died here").heads.push(head);
    for act in script {
        match act {
            Act::Say(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Act::Flood(bytes) => while stream.write_all(&bytes).await.is_ok() {},
            Act::Wait(time) => tokio::time::sleep(time).await,
            Act::Hang => {
                let mut byte = [0];
                while stream.read(&mut byte).await.is_ok_and(|n| n > 0) {}
                seen.lock().expect("no test died here").n_left += 1;
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// Head and body of one request; gives the head.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let n = stream.read(&mut piece).await.unwrap_or(0);
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(end) = text.find("\r\n\r\n") {
            let head = text[..end].to_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| {
                    value
                        .trim()
                        .parse::<usize>()
                        .expect("the servers of the tests run")
                })
            });
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return head;
            }
        }
        if n == 0 {
            return text;
        }
    }
}

/// An HTTP response whose end is the end of the connection.
pub(crate) fn response(status: &str, content_type: &str, body: &str) -> Vec<Act> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
    vec![Act::Say(format!("{head}{body}").into_bytes())]
}

/// The events of a stream.
pub(crate) fn events(events: &[&str]) -> Vec<Act> {
    let frames: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    response("200 OK", "text/event-stream", &frames)
}
