//! Conversations over HTTP.

use std::sync::Arc;

use crate::empty_desk::EmptyDesk;
use crate::server::{CONVERSATION, Server};

#[tokio::test]
async fn conversations_are_listed_and_read() {
    let server = Server::over(Arc::new(EmptyDesk), "/").await;
    let list = server.get("/v1/conversations?limit=3").await.json();
    assert_eq!(list["conversations"][0]["id"], CONVERSATION);
    let shown = server
        .get(&format!("/v1/conversations/{CONVERSATION}"))
        .await
        .json();
    assert_eq!(shown["name"], "the migration");
    let turns = shown["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 2);
    assert_eq!(
        (&turns[1]["author"], &turns[1]["text"]),
        (&"assistant".into(), &"Monday.".into())
    );
    assert_eq!(
        server.get("/v1/conversations/nobody").await.error().0,
        "not_found"
    );
    assert_eq!(server.get("/v1/conversations?limit=0").await.status, 400);
    server.stop().await;
}
