//! Who may speak to the server and how, over the wire.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::empty_desk::EmptyDesk;
use crate::server::{Server, TOKEN};

/// Sends a request as it is and reads to the end of the connection; gives back the status and all of the answer.
async fn raw(server: &Server, text: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or(0), answer)
}

/// A request with these lines in its head beside `Connection: close`.
fn head(line: &str, fields: &[&str]) -> String {
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    format!("{line} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n")
}

#[tokio::test]
async fn a_table_of_requests() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let host = format!("Host: {}", server.address);
    let token = format!("Authorization: Bearer {TOKEN}");
    let ours = format!("Origin: http://{}", server.address);
    let json = "Content-Type: application/json";
    let cases: &[(&str, &[&str], u16)] = &[
        ("GET /health", &[&host], 200),
        ("GET /health", &["Host: evil.example"], 403),
        ("GET /v1/batch-types", &[&host, &token], 200),
        ("GET /v1/batch-types", &[&host, &token, &ours], 200),
        ("HEAD /v1/batch-types", &[&host, &token], 200),
        ("GET /v1/runs", &[&host], 401),
        ("GET /openapi.json", &[&host], 401),
        ("GET /metrics", &[&host], 401),
        ("GET /nowhere", &[&host], 401),
        ("GET /v1/runs", &[&host, "Authorization: Bearer wrong"], 401),
        (&format!("GET /v1/runs?token={TOKEN}"), &[&host], 401),
        (&format!("GET /v1/runs?access_token={TOKEN}"), &[&host], 401),
        ("GET /v1/runs", &["Host: evil.example", &token], 403),
        ("GET /v1/runs", &["Host: 127.0.0.1", &token], 403),
        (
            "GET /v1/runs",
            &[&host, &token, "Origin: http://evil.example"],
            403,
        ),
        ("GET /v1/runs", &[&host, &token, "Origin: null"], 403),
        (
            "GET /v1/runs",
            &[&host, &token, "Sec-Fetch-Site: cross-site"],
            403,
        ),
        ("OPTIONS /v1/runs", &[&host, "Origin: http://evil.example"], 403),
        ("OPTIONS /v1/runs", &[&host, &token], 405),
        ("DELETE /v1/runs", &[&host, &token, json], 405),
        ("PUT /v1/batches", &[&host, &token, json], 405),
        ("GET /nowhere", &[&host, &token], 404),
        ("GET /", &[&host, &token], 404),
        ("POST /v1/batches", &[&host, &token, "Content-Length: 0"], 415),
        (
            "POST /v1/batches",
            &[&host, &token, "Content-Length: 0", "Content-Type: text/plain"],
            415,
        ),
        (
            "POST /v1/runs/abcd/cancel",
            &[&host, &token, "Content-Type: application/x-ndjson"],
            415,
        ),
        (
            "POST /v1/batches",
            &[&host, &token, json, "Content-Length: 0"],
            400,
        ),
        (
            "POST /v1/batches",
            &[&host, &token, json, "Content-Length: 67108865"],
            413,
        ),
        (
            "POST /v1/runs",
            &[&host, &token, json, "Content-Length: 1048577"],
            413,
        ),
        ("GET /v1/runs/../../etc/passwd", &[&host, &token], 404),
        ("GET /v1/runs/..%2f..%2fetc%2fpasswd", &[&host, &token], 400),
        ("GET /v1/runs/%2e%2e", &[&host, &token], 400),
        ("GET /v1/runs/a%00b", &[&host, &token], 400),
        ("GET /v1/runs/%ff", &[&host, &token], 400),
        ("GET /v1/runs/a%0d%0ab", &[&host, &token], 400),
        ("GET /v1/runs/a;b", &[&host, &token], 400),
        ("GET /v1/runs/%27%20or%201=1", &[&host, &token], 400),
        (&format!("GET /v1/runs/{}", "a".repeat(65)), &[&host, &token], 400),
        (&format!("GET /v1/runs/{}", "a".repeat(64)), &[&host, &token], 404),
        ("GET /v1/conversations/..%2f..", &[&host, &token], 400),
        ("GET /v1/batch-types/..%2f..", &[&host, &token], 404),
        ("GET /v1/batches/..%5c..", &[&host, &token], 400),
        (
            "POST /v1/batches/..%2f../cancel",
            &[&host, &token, json, "Content-Length: 0"],
            400,
        ),
    ];
    for (line, fields, status) in cases {
        let (found, answer) = raw(&server, &head(line, fields)).await;
        assert_eq!(found, *status, "{line} {fields:?}\n{answer}");
        let lower = answer.to_lowercase();
        assert!(
            lower.contains("x-content-type-options: nosniff"),
            "{line}\n{answer}"
        );
        assert!(!lower.contains("access-control-allow-origin"), "{line}\n{answer}");
        assert!(!answer.contains(TOKEN), "{line}\n{answer}");
        let is_error = *status >= 400;
        assert_eq!(
            is_error,
            answer.contains("{\"error\":{\"kind\":"),
            "{line}\n{answer}"
        );
        assert_eq!(
            *status == 401,
            lower.contains("www-authenticate: bearer"),
            "{line}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_body_without_a_length_is_bounded_too() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /v1/runs HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let (mut reading, mut writing) = stream.split();
    let sending = async {
        // The server may stop reading in the middle.
        for _ in 0..17 {
            if writing.write_all(chunk.as_bytes()).await.is_err() {
                break;
            }
        }
    };
    let mut answer = vec![0; 12];
    let (_, read) = tokio::join!(sending, reading.read_exact(&mut answer));
    read.unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
    server.stop().await;
}

#[tokio::test]
async fn the_figures_count_routes_and_not_addresses() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    server.get("/v1/runs/abcd").await;
    server.get("/v1/runs/efgh").await;
    server.get("/made/up").await;
    let page = server.get("/metrics").await;
    assert!(
        page.headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/plain")
    );
    for line in [
        "gemicro_http_requests_total{route=\"/v1/runs/{id}\",method=\"GET\",status=\"404\"} 2",
        "gemicro_http_requests_total{route=\"none\",method=\"GET\",status=\"404\"} 1",
        "gemicro_runs{status=\"running\"} 0",
    ] {
        assert!(
            page.text.lines().any(|found| found == line),
            "{line}\n{}",
            page.text
        );
    }
    assert!(!page.text.contains("made"), "{}", page.text);
    server.stop().await;
}

/// Every method that a path does not have is refused with those that it has, whatever its body is.
#[tokio::test]
async fn other_methods_are_refused_with_those_that_there_are() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let document = server.get("/openapi.json").await.json();
    let fields = [
        format!("Host: {}", server.address),
        format!("Authorization: Bearer {TOKEN}"),
    ];
    let mut n_checked = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let known: Vec<String> = operations
            .as_object()
            .unwrap()
            .keys()
            .map(|it| it.to_uppercase())
            .collect();
        let path = path.replace("{id}", "abcd").replace("{name}", "prompt");
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "BREW",
        ] {
            if known.iter().any(|known| known == method) {
                continue;
            }
            for more in [
                "Content-Length: 0",
                "Content-Type: text/plain",
                "Content-Type: application/json",
            ] {
                let fields = [fields[0].as_str(), &fields[1], more];
                let (status, answer) = raw(&server, &head(&format!("{method} {path}"), &fields)).await;
                assert_eq!(status, 405, "{method} {path} {more}\n{answer}");
                let allow = answer
                    .lines()
                    .find_map(|line| line.to_lowercase().strip_prefix("allow: ").map(str::to_owned));
                let allow = allow.unwrap_or_else(|| panic!("no Allow: {method} {path}\n{answer}"));
                let allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
                assert!(
                    known
                        .iter()
                        .all(|known| allowed.contains(&known.to_lowercase().as_str())),
                    "{method} {path}: {allow}"
                );
                assert!(
                    !allowed.contains(&method.to_lowercase().as_str()),
                    "{method} {path}: {allow}"
                );
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 100, "{n_checked}");
    // What changes something is JSON by its type, at every route.
    for (path, operations) in document["paths"].as_object().unwrap() {
        if operations.get("post").is_some() {
            let path = path.replace("{id}", "abcd");
            let fields = [
                fields[0].as_str(),
                &fields[1],
                "Content-Type: text/plain",
                "Content-Length: 0",
            ];
            let (status, answer) = raw(&server, &head(&format!("POST {path}"), &fields)).await;
            assert_eq!(status, 415, "{path}\n{answer}");
        }
    }
    server.stop().await;
}
