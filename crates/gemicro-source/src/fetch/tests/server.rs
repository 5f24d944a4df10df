//! A server on loopback that says what it is told, byte by byte, and keeps the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// What a server does once it has the head of a request.
#[derive(Clone)]
pub(super) enum Reply {
    /// Sends this and closes.
    Bytes(Vec<u8>),
    /// Sends the first, then the second again and again until nobody listens.
    Endless(Vec<u8>, Vec<u8>, Duration),
    /// Says nothing and keeps the connection.
    Silence,
}

impl Reply {
    /// A whole answer with a status line, headers and a body with its length.
    pub(super) fn new(status: u16, headers: &[&str], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {}\r\n", body.len());
        for header in headers {
            bytes += header;
            bytes += "\r\n";
        }
        bytes += "\r\n";
        let mut bytes = bytes.into_bytes();
        bytes.extend_from_slice(body);
        Self::Bytes(bytes)
    }

    /// A page of this type.
    pub(super) fn page(content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::new(200, &[&format!("Content-Type: {content_type}")], body)
    }

    /// A redirect.
    pub(super) fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, &[&format!("Location: {location}")], "moved")
    }
}

pub(super) struct Server {
    pub(super) addr: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts one that answers by path, for as long as the test's runtime lives.
    pub(super) async fn start(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let reply = Arc::new(reply);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                tokio::spawn(async move { answer(stream, &seen, &*reply).await });
            }
        });
        Self { addr, requests }
    }

    /// One that answers everything alike.
    pub(super) async fn always(reply: Reply) -> Self {
        Self::start(move |_| reply.clone()).await
    }

    /// Its host as a user would list it.
    pub(super) fn host(&self) -> String {
        self.addr.to_string()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Heads of the requests so far.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(mut stream: TcpStream, seen: &Mutex<Vec<String>>, reply: &impl Fn(&str) -> Reply) {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    // A TLS greeting has no end of head; what came first is enough there.
    while head.first() != Some(&0x16) && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(n_read @ 1..) => head.extend_from_slice(&buffer[..n_read]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.lock().unwrap().push(head);
    // A client that had enough closes the connection; that is no failure of the server.
    match reply(&path) {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Endless(first, again, pause) => {
            let mut outcome = stream.write_all(&first).await;
            while outcome.is_ok() {
                sleep(pause).await;
                outcome = stream.write_all(&again).await;
            }
        }
        Reply::Silence => {
            let _ = stream.read(&mut buffer).await;
        }
    }
}
