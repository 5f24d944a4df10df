//! Our own client against our own server.

use std::time::Duration;

use gemicro_engine::{BatchStatus, ItemState};
use gemicro_event::ErrorKind;
use gemicro_http::client::BatchClient;

use crate::server::{House, TOKEN, prompts};

#[tokio::test]
async fn a_batch_through_the_client() {
    let house = House::new().await;
    let client = BatchClient::new(&house.server.url(""), TOKEN).unwrap();
    let body = prompts(&["one", "two"]);
    let first = client.submit(body.clone(), Some("k")).await.unwrap();
    assert_eq!((first.status, first.results.len()), (BatchStatus::Pending, 2));
    let id = first.response_id.as_str();
    assert_eq!(client.submit(body, Some("k")).await.unwrap().response_id, id);
    let other = client.submit(prompts(&["other"]), Some("k")).await.unwrap_err();
    assert_eq!(other.kind, ErrorKind::Conflict);
    assert_eq!(client.poll(id).await.unwrap().status, BatchStatus::Pending);
    let soon = client.wait(id, Some(Duration::ZERO)).await.unwrap();
    assert_eq!(soon.status, BatchStatus::Pending);
    let mut cut = client
        .cancel(id, &["t1".to_owned()], Some("no need"))
        .await
        .unwrap();
    // What runs is told to stop; a moment later it has.
    while cut.results[0].state == ItemState::Running {
        cut = client.poll(id).await.unwrap();
    }
    assert_eq!(cut.results[0].state, ItemState::Cancelled);
    house.answer(1);
    let done = client.wait(id, None).await.unwrap();
    assert_eq!(
        (done.status, done.next_poll_interval_seconds),
        (BatchStatus::Completed, 0)
    );
    assert_eq!(done.results[1].output["text"], "two");
    house.answer(1);
    let again = client.retry(id, &[]).await.unwrap();
    let again = client.wait(&again.response_id, None).await.unwrap();
    assert_eq!(again.results[0].output["text"], "one");
    let list = client.list(10).await.unwrap();
    let ids: Vec<&str> = list.iter().map(|row| row.response_id.as_str()).collect();
    assert_eq!(ids, [again.response_id.as_str(), id]);
}

#[tokio::test]
async fn failures_keep_their_kinds() {
    let house = House::new().await;
    let url = house.server.url("");
    let client = BatchClient::new(&url, TOKEN).unwrap();
    assert_eq!(
        client.poll("nobody-knows").await.unwrap_err().kind,
        ErrorKind::NotFound
    );
    assert_eq!(
        client.poll("../x").await.unwrap_err().kind,
        ErrorKind::InvalidInput
    );
    let broken = client.submit("[{]", None).await.unwrap_err();
    assert_eq!(broken.kind, ErrorKind::InvalidInput);
    assert!(broken.message.contains("line 1"), "{broken}");
    let stranger = BatchClient::new(&url, "another token").unwrap();
    assert_eq!(stranger.list(1).await.unwrap_err().kind, ErrorKind::AuthFailed);
    for address in ["", "127.0.0.1:8737", "ftp://127.0.0.1", "mailto:x"] {
        let refused = BatchClient::new(address, TOKEN).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::InvalidInput, "{address}");
    }
    assert_eq!(
        BatchClient::new(&url, "a\nb").unwrap_err().kind,
        ErrorKind::InvalidInput
    );
    house.server.stop().await;
    let gone = client.list(1).await.unwrap_err();
    assert_eq!(gone.kind, ErrorKind::UpstreamError);
    assert!(
        gone.message.starts_with("the server cannot be reached: "),
        "{gone}"
    );
    assert!(!format!("{client:?}").contains(TOKEN));
}
