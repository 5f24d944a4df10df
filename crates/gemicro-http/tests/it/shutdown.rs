//! A server that stops: what waits is answered, streams end, nobody new comes in.

use std::sync::Arc;

use tokio::net::TcpStream;

use crate::empty_desk::{EmptyDesk, RUN};
use crate::server::{House, Server, answer, prompts};

#[tokio::test]
async fn what_is_in_flight_is_answered() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one"])).await.json();
    let id = first["response_id"].as_str().unwrap();
    let events = server
        .request("GET", &format!("/v1/runs/{id}/events"))
        .header("accept", "text/event-stream");
    let events = events.send().await.unwrap();
    let polling = tokio::spawn(answer(
        server.request("GET", &format!("/v1/batches/{id}?wait=60")),
    ));
    let metrics = async || server.get("/metrics").await.text;
    while !metrics().await.contains("\ngemicro_http_waiting 2\n") {
        tokio::task::yield_now().await;
    }
    server.shutdown.cancel();
    let text = events.text().await.unwrap();
    assert!(text.starts_with("id: 1\nevent: run_started\n"), "{text}");
    assert!(!text.contains("event: final_result"), "{text}");
    let polled = polling.await.unwrap();
    assert_eq!(
        (polled.status, polled.json()["status"].as_str()),
        (200, Some("pending"))
    );
    let address = server.address;
    house.server.serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_go_holds_no_one_up() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let _silent = TcpStream::connect(server.address).await.unwrap();
    let stream = server.request("GET", &format!("/v1/runs/{RUN}/events"));
    let unread = stream.header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(unread.status(), 200);
    server.stop().await;
    drop(unread);
}
