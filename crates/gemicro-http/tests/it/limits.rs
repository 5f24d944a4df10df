//! Clients that take their time or their number too far. Where time stands still, a limit passes as soon as nothing
//! else can happen.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::empty_desk::{EmptyDesk, RUN};
use crate::server::{Server, TOKEN, answer};

/// What a client gets that sends this and then nothing more.
async fn after_silence(server: &Server, sent: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(start_paused = true)]
async fn slow_heads_and_bodies_are_given_up() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    for head in ["", "GET /hea", "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "] {
        let response = after_silence(&server, head).await;
        assert!(
            response.is_empty() || response.starts_with("HTTP/1.1 408"),
            "{head:?}: {response}"
        );
    }
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n[{{",
        server.address
    );
    let response = after_silence(&server, &head).await;
    assert!(response.starts_with("HTTP/1.1 408"), "{response}");
    assert!(response.contains("timed out"), "{response}");
    server.stop().await;
}

/// Reads one answer with a length; the connection stays open.
async fn read_answer(stream: &mut BufReader<TcpStream>) -> String {
    let mut n_bytes = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if let Some(said) = line.to_lowercase().strip_prefix("content-length:") {
            n_bytes = said.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; n_bytes];
    stream.read_exact(&mut body).await.unwrap();
    String::from_utf8(body).unwrap()
}

/// Connections that have not sent a whole head, or have nothing to ask any more, keep nobody out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_keep_no_one_out() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let ask = format!(
        "GET /metrics HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n",
        server.address
    );
    let mut open = Vec::new();
    for n in 0..400 {
        let mut stream = BufReader::new(TcpStream::connect(server.address).await.unwrap());
        if n % 2 == 0 {
            stream
                .write_all(b"GET /v1/runs HTTP/1.1\r\nHost: ")
                .await
                .unwrap();
        } else {
            stream.write_all(ask.as_bytes()).await.unwrap();
            at_once(read_answer(&mut stream)).await;
        }
        open.push(stream);
    }
    let page = at_once(server.get("/metrics")).await;
    assert_eq!(page.status, 200);
    // Those that had the token and are idle stay; strangers made room for them.
    at_once(open[1].write_all(ask.as_bytes())).await.unwrap();
    let page = at_once(read_answer(&mut open[1])).await;
    let line = page
        .lines()
        .find_map(|line| line.strip_prefix("gemicro_http_connections "));
    let n_open: usize = line.unwrap().parse().unwrap();
    assert!((200..=260).contains(&n_open), "{n_open}");
    drop(open);
    server.stop().await;
}

/// Callers with the token that hold every place, by bodies that do not come.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_answered_when_every_place_is_taken() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let head = format!(
        "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Content-Length: 2\r\n\r\n[",
        server.address
    );
    let mut open = Vec::new();
    for _ in 0..128 {
        let mut stream = BufReader::new(TcpStream::connect(server.address).await.unwrap());
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    for _ in 0..3 {
        let health = gemicro_client::builder()
            .no_proxy()
            .build()
            .unwrap()
            .get(server.url("/health"));
        let health = at_once(answer(health)).await;
        assert_eq!((health.status, &health.json()["status"]), (200, &"ok".into()));
    }
    let refused = gemicro_client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .get(server.url("/v1/runs"));
    assert_eq!(at_once(answer(refused)).await.status, 401);
    // A place is given on.
    let (page, ()) = tokio::join!(server.get("/metrics"), async {
        open[0].write_all(b"]").await.unwrap();
        read_answer(&mut open[0]).await;
    });
    assert_eq!(page.status, 200);
    drop(open);
    server.stop().await;
}

/// Gives up long before any limit of the server passes.
async fn at_once<T>(answer: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(std::time::Duration::from_secs(5), answer).await;
    waited.expect("the server answers at once")
}

#[tokio::test]
async fn waiting_calls_leave_room_for_short_ones() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let path = format!("/v1/runs/{RUN}/events");
    let stream = || server.request("GET", &path).header("accept", "text/event-stream");
    let mut waiting = Vec::new();
    for _ in 0..64 {
        let response = stream().send().await.unwrap();
        assert_eq!(response.status(), 200);
        waiting.push(response);
    }
    let refused = answer(stream()).await;
    assert_eq!(
        (refused.status, refused.error().0.as_str()),
        (429, "rate_limited")
    );
    assert_eq!(refused.headers["retry-after"], "1");
    let page = server.get("/metrics").await.text;
    assert!(page.contains("\ngemicro_http_waiting 64\n"), "{page}");
    // A reader that leaves gives its place back, once the server has noticed.
    waiting.pop();
    loop {
        let response = stream().send().await.unwrap();
        if response.status() == 200 {
            break;
        }
        tokio::task::yield_now().await;
    }
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_says_that_it_is_there() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let mut stream = BufReader::new(TcpStream::connect(server.address).await.unwrap());
    let ask = format!(
        "GET /v1/runs/{RUN}/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n",
        server.address
    );
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut comments = 0;
    while comments < 3 {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).await.unwrap(), 0);
        comments += usize::from(line == ": waiting\n");
    }
    server.stop().await;
}
